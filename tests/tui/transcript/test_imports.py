"""What is heavy is imported with the first text that needs it, not with the screen."""

import subprocess
import sys

SCRIPT = """
import sys
import panto.tui.transcript as transcript

def heavy():
    return {name for name in ("markdown_it", "pygments") if name in sys.modules}

entry = transcript.AnswerEntry()
assert heavy() == set(), heavy()
entry.append("text")
entry.finish()
palette = transcript.Transcript().palette
[block.rows(40, palette) for block in entry.blocks(40)]
assert heavy() == {"markdown_it"}, heavy()
[block.rows(40, palette) for block in transcript.TextEntry("```python\\nx = 1\\n```").blocks(40)]
assert heavy() == {"markdown_it", "pygments"}, heavy()
"""


def test_heavy_libraries_come_with_the_first_text_that_needs_them() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
