"""Promises of the reader of PDFs: what is not whole is refused with its reason, and no PDF takes the reader with it."""

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from unit.documents.pdfs import GOOD, HOSTILE, ODD, PAGES, endless_text, forms_in_forms, memory_bomb, report

from propsync.documents.worker.client import WorkerPool
from propsync.errors import DocumentDamaged, ResourceFailed


@pytest.fixture(scope="module")
def reader():
    with WorkerPool() as reader:
        yield reader


@pytest.fixture
def kept(tmp_path):
    """Keeps bytes as a file, and says where."""

    def keep(content, name="report.pdf"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return keep


@pytest.fixture
def programs():
    """Tells the processes that were started to read PDFs since the test began."""
    before = {child.pid for child in psutil.Process().children()}
    return lambda: [child for child in psutil.Process().children() if child.pid not in before]


def refused(ask, path):
    with pytest.raises(DocumentDamaged) as caught:
        ask(path)
    assert caught.value.where == path.name
    assert str(path.parent) not in str(caught.value)
    return caught.value.what


# --- what is whole, and what is not -----------------------------------------------------------------------------------


def test_a_good_pdf_tells_its_pages_and_its_text_page_by_page(reader, kept):
    path = kept(GOOD, "Bericht für Tür 3.pdf")
    assert reader.check(path) == len(PAGES)
    assert reader.text(path) == PAGES


def test_a_page_without_words_has_empty_text(reader, kept):
    assert reader.text(kept(report(["one", "", "three"]))) == ["one", "", "three"]


def test_a_word_that_goes_on_in_the_next_line_keeps_its_hyphen(reader, kept):
    assert reader.text(kept(report(["a self-\nclosing door"]))) == ["a self-closing door"]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_pdf_that_is_not_whole_is_refused_with_its_reason(reader, kept, kind):
    content, what = HOSTILE[kind]
    path = kept(content)
    assert refused(reader.check, path) == what
    assert refused(reader.text, path) == what


@pytest.mark.parametrize("kind", ODD)
def test_a_pdf_that_readers_put_right_is_taken(reader, kept, kind):
    content, pages = ODD[kind]
    assert reader.check(kept(content)) == pages


def test_a_file_that_is_not_there_is_refused_without_its_folder(reader, tmp_path):
    assert refused(reader.check, tmp_path / "gone.pdf") == "the PDF's file cannot be read (FileNotFoundError)"


# --- what it does to the reader ---------------------------------------------------------------------------------------


def test_a_pdf_that_would_take_for_ever_is_given_up_and_the_next_is_read(kept, programs):
    with WorkerPool(seconds=0.5) as reader:
        assert refused(reader.check, kept(forms_in_forms(30))) == "the PDF took too long: propsync gave up after 0.5 s"
        assert programs() == []
        assert reader.check(kept(GOOD)) == 3


@pytest.mark.slow
def test_a_pdf_that_fills_the_memory_is_refused_and_the_next_is_read(reader, kept):
    assert refused(reader.check, kept(memory_bomb())) == "the PDF crashed its reader"
    assert reader.check(kept(GOOD)) == 3


@pytest.mark.slow
def test_a_pdf_of_endless_text_is_refused(reader, kept):
    path = kept(endless_text())
    assert reader.check(path) == 20
    assert refused(reader.text, path) == "the PDF holds more than 10,000,000 characters of text"


def test_a_reader_that_stands_still_is_given_up_and_replaced(kept, programs):
    with WorkerPool(seconds=1) as reader:
        reader.check(kept(GOOD))
        (program,) = programs()
        program.suspend()
        assert refused(reader.check, kept(GOOD)) == "the PDF took too long: propsync gave up after 1 s"
        assert not program.is_running()
        assert reader.text(kept(GOOD)) == PAGES


def test_a_reader_killed_between_two_files_is_replaced_without_an_error(kept, programs):
    with WorkerPool() as reader:
        for _ in range(3):
            assert reader.check(kept(GOOD)) == 3
            programs()[0].kill()
        assert reader.text(kept(GOOD)) == PAGES


def test_a_reader_that_does_not_start_is_no_documents_fault(kept, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with WorkerPool() as reader, pytest.raises(ResourceFailed, match="the PDF reader does not start") as caught:
        reader.check(kept(GOOD))
    assert not isinstance(caught.value, DocumentDamaged)


def test_one_process_reads_many_files_and_is_gone_afterwards(kept, programs):
    with WorkerPool() as reader:
        assert programs() == []
        reader.check(kept(GOOD))
        started = programs()
        for content, _ in HOSTILE.values():
            refused(reader.check, kept(content))
        assert programs() == started
        open_before = psutil.Process(started[0].pid).num_fds()
        refused(reader.check, kept(HOSTILE["no pages"][0]))
        assert psutil.Process(started[0].pid).num_fds() == open_before
    assert programs() == []
    assert not started[0].is_running()
    reader.close()  # once more does no harm


@pytest.mark.parametrize("workers", [1, 3])
def test_ten_threads_at_once_each_get_the_answer_to_their_own_file(kept, programs, workers):
    paths = [kept(report([f"page {page} of {size}" for page in range(size)]), f"{size}.pdf") for size in range(1, 11)]
    with WorkerPool(workers=workers) as reader, ThreadPoolExecutor(10) as pool:
        assert list(pool.map(reader.check, paths * 5)) == list(range(1, 11)) * 5
        assert [len(pages) for pages in pool.map(reader.text, paths)] == list(range(1, 11))
        assert len(programs()) <= workers


def test_no_descriptor_is_left_behind(kept, programs):
    gc.collect()  # else what an earlier test dropped may close a descriptor only now
    before = descriptors()
    with WorkerPool(seconds=1) as reader:
        reader.check(kept(GOOD))
        programs()[0].suspend()
        refused(reader.check, kept(GOOD))
        refused(reader.check, kept(b""))
        reader.check(kept(GOOD))
    assert descriptors() - before == set()  # what an earlier test left may close meanwhile, and hides no new one


def descriptors():
    """Each open descriptor of this process, with what it leads to."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the list itself
            found.add((one.name, one.readlink()))
    return found


def gone(pid, seconds):
    try:
        psutil.Process(pid).wait(seconds)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True


PROGRAM = """
import os, pathlib, sys
from propsync.documents.worker.client import WorkerPool
os.environ["PROPSYNC_TOKEN"] = "secret"
reader = WorkerPool()
print(reader.check(pathlib.Path("report.pdf")), "pypdfium2" in sys.modules, flush=True)
started = reader._workers[0]._process.pid
print(b"secret" in pathlib.Path(f"/proc/{started}/environ").read_bytes(), flush=True)
if "die" in sys.argv:
    print(started, flush=True)
    os.kill(os.getpid(), 9)
reader.close()
"""


def test_any_folder_will_do_and_the_reader_is_quiet_and_knows_no_token(kept):
    folder = kept(GOOD).parent
    (folder / "json.py").write_text("raise SystemExit('a module of the folder we stand in')")
    (folder / "propsync.py").write_text("raise SystemExit('another')")
    command = [sys.executable, "-P", "-c", PROGRAM]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("3 False\nFalse\n", "", 0)


def test_the_reader_ends_with_whoever_started_it(kept):
    folder = kept(GOOD).parent
    done = subprocess.run([sys.executable, "-c", PROGRAM, "die"], cwd=folder, capture_output=True, text=True)
    orphan = int(done.stdout.split()[-1])
    assert gone(orphan, 10)
