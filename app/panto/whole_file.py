"""Files that are written whole or not at all: no reader, and no crash, ever meets half of one."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, content: bytes, mode: int = 0o600) -> None:
    """Put the content in the file's place in one step, on the disk before this returns. Raises `OSError`."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode)
        temporary.replace(file)
    except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
        temporary.unlink(missing_ok=True)
        raise
