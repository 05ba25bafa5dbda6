"""Where things stand one below another: heights, and from them the top of each, whatever their number."""


class Heights:
    """A list of heights as a Fenwick tree: everything takes time in the logarithm of their number."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        """The height of all together."""
        return self.top(len(self._heights))

    def append(self, height: int) -> None:
        """One more at the end."""
        self._heights.append(height)
        at = len(self._heights)
        self._tree.append(height + self.top(at - 1) - self.top(at - (at & -at)))

    def truncate(self, length: int) -> None:
        """Keep the first ones alone."""
        del self._heights[length:]
        del self._tree[length + 1 :]

    def set(self, index: int, height: int) -> None:
        """Another height for one."""
        change = height - self._heights[index]
        self._heights[index] = height
        at = index + 1
        while change and at < len(self._tree):
            self._tree[at] += change
            at += at & -at

    def top(self, index: int) -> int:
        """The sum of the heights before an index."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def at(self, y: int) -> tuple[int, int]:
        """What covers a row, as its index, and the row within it; for a row below all, the end of the last."""
        index, left = 0, y
        step = 1 << len(self._heights).bit_length()
        while step:
            ahead = index + step
            if ahead < len(self._tree) and self._tree[ahead] <= left:
                index = ahead
                left -= self._tree[ahead]
            step >>= 1
        if index >= len(self._heights):
            return (len(self._heights) - 1, self._heights[-1]) if self._heights else (0, 0)
        return index, left
