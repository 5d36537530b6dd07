"""The pool of workers reads what one process would read, whatever happens to a worker."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.packing import to_bytes
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.workers import launching
from rdfcrawl.engine.workers import pool as pool_module
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.reading import parsed_document, read_documents
from rdfcrawl.engine.workers.tracing import traced, traced_page
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from tests.engine.workers import hostile
from tests.engine.workers.listings import listing, things, workers_of
from tests.sampling import sampled

CASES = Path(__file__).parents[2] / "cases" / "extract"
NAMES = sorted(path.name for path in CASES.iterdir())
ENDLESS = "//li[count(//li/following-sibling::li/a) > 0]/a"
COSTLY = "//li[1]/following-sibling::li[count(preceding-sibling::li) >= 0]/a"


@asynccontextmanager
async def pool_of(model: Model, limits: RunLimits | None = None, processes: int = 1) -> AsyncIterator[WorkerPool]:
    async with aclosing(WorkerPool.started(limits or RunLimits(), model, processes=processes)) as pool:
        yield pool
    assert workers_of(os.getpid()) == set()


@pytest.fixture
def hostile_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages have their way with the process that reads them."""
    monkeypatch.setattr(launching, "_PROGRAM", hostile.PROGRAM)


def pages_of(case: Path) -> Iterator[Fetched]:
    kinds = {".html": "text/html", ".xml": "application/xml", ".pdf": "application/pdf"}
    for file in sorted((case / "pages").rglob("*")):
        if file.is_file() and file.suffix != ".toml":
            headers = {"content-type": kinds[file.suffix]} if file.suffix in kinds else {}
            address = f"http://{file.relative_to(case / 'pages').as_posix()}"
            notes = ((ProblemKind.LIMIT, "a note"),)
            yield Fetched(address, 200, headers, file.read_bytes(), rendered=file.suffix == ".html", notes=notes)


def refusal_of(document: Fetched) -> str | None:
    try:
        parsed_document(document, RunLimits())
    except DocumentError as error:
        return str(error)
    return None


class TestWhatIsRead:
    """Through another process, the same comes out."""

    @pytest.mark.parametrize("case", sampled(NAMES, NAMES[::12]))
    async def test_every_case_is_read_as_in_one_process(self, case: str, tmp_path: Path) -> None:
        """Every page of the case as every page of its model: extraction, traces, or the same refusal."""
        model = load_model(CASES / case / "model.ttl")
        limits = RunLimits()
        async with pool_of(model, limits) as pool:
            for plan in build_plan(model).pages.values():
                for document in pages_of(CASES / case):
                    if refusal := refusal_of(document):
                        with pytest.raises(DocumentError, match=re.escape(refusal)):
                            await pool.read(plan.page, [document, document])
                        continue
                    expected = read_documents(plan, [document, document], limits)
                    read = await pool.read(plan.page, [document, document])
                    assert read.extraction == expected
                    assert read.content == to_bytes(expected)
                    tree = parsed_document(document, limits, with_scripts=plan.reads_scripts)
                    for subject in (None, *{triple.split()[0][1:-1] for triple in expected.triples}):
                        here = traced_page(traced(plan, tree, subject), model)
                        assert await pool.trace(plan.page, document, subject) == here

    @pytest.mark.usefixtures("cold_processes")
    async def test_many_pages_at_once(self, tmp_path: Path) -> None:
        """Each gets its own answer, also when they come faster than they are read."""
        model, page = things(tmp_path)
        async with pool_of(model, processes=2) as pool:
            documents = [listing(number % 90, number=number) for number in range(150)]
            read = await asyncio.gather(*(pool.read(page, [document]) for document in documents))
        limits = RunLimits()
        plan = build_plan(model).pages[page.iri]
        assert [one.extraction for one in read] == [read_documents(plan, [one], limits) for one in documents]

    @pytest.mark.usefixtures("cold_processes")
    async def test_the_model_may_follow(self, tmp_path: Path) -> None:
        """The process gets ready without it."""
        model, page = things(tmp_path)
        async with aclosing(WorkerPool.started(RunLimits())) as pool:
            (process,) = workers_of(os.getpid())
            pool.use(model)
            assert len((await pool.read(page, [listing(3)])).extraction.follows) == 3
            assert workers_of(os.getpid()) == {process}

    @pytest.mark.usefixtures("cold_processes")
    async def test_large_pages_go_through(self, tmp_path: Path) -> None:
        """Larger than any buffer on the way, several at once, in both directions."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            documents = [listing(10_000, f"<p>{number}" * 100_000) for number in range(3)]
            read = await asyncio.gather(*(pool.read(page, [document]) for document in documents))
        assert [len(one.extraction.follows) for one in read] == [10_000] * 3

    @pytest.mark.usefixtures("cold_processes")
    async def test_costly_pages_use_all_processes(self, tmp_path: Path) -> None:
        """They are not read one at a time."""
        model, page = things(tmp_path, COSTLY)
        async with pool_of(model, processes=2) as pool:
            reading = asyncio.gather(*(pool.read(page, [listing(700, number=number)]) for number in range(40)))
            read = await reading
            assert len(workers_of(os.getpid())) == 2
        assert [len(one.extraction.follows) for one in read] == [699] * 40

    @pytest.mark.usefixtures("cold_processes")
    async def test_one_costly_page_among_many_is_not_worth_another_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However long others have been waiting: a run is not to depend on a moment in which the machine was busy."""
        monkeypatch.setattr(pool_module, "processors", lambda: 2)
        model, page = things(tmp_path, COSTLY)
        entries = [120] * 150 + [4000] + [120] * 150
        async with aclosing(WorkerPool.started(RunLimits(), model)) as pool:
            first = workers_of(os.getpid())
            read = await asyncio.gather(*(pool.read(page, [listing(number)]) for number in entries))
            assert workers_of(os.getpid()) == first
        assert [len(one.extraction.follows) for one in read] == [number - 1 for number in entries]


@pytest.mark.usefixtures("cold_processes")
class TestLimits:
    """A page that is too much is a problem of its own."""

    async def test_time(self, tmp_path: Path) -> None:
        """The worker ends itself over the page; the pages behind it are read by another one."""
        model, page = things(tmp_path, ENDLESS)
        async with pool_of(model, RunLimits(extraction_seconds=0.5)) as pool:
            entries = (3, 3000, 3)
            pages = (pool.read(page, [listing(number)]) for number in entries)
            read = await asyncio.gather(*pages, return_exceptions=True)
        for one, number in zip(read, entries, strict=True):
            if number == 3:
                assert not isinstance(one, BaseException)
                assert len(one.extraction.follows) == 3
            else:
                assert isinstance(one, FetchFailed)
                assert one.kind is ProblemKind.LIMIT
                assert one.reason == "reading the page takes more than 0.5 seconds; its XPaths cost too much here"

    @pytest.mark.usefixtures("hostile_pages")
    async def test_time_without_alarm(self, tmp_path: Path) -> None:
        """A process that has switched its alarm off is ended from outside."""
        model, page = things(tmp_path)
        async with pool_of(model, RunLimits(extraction_seconds=0.2)) as pool:
            pages = (pool.read(page, [listing(3, beginning)]) for beginning in ("", "<!--loop-->", ""))
            first, late, last = await asyncio.gather(*pages, return_exceptions=True)
        assert isinstance(late, FetchFailed)
        assert late.kind is ProblemKind.LIMIT
        assert "takes more than 0.2 seconds" in late.reason
        assert not isinstance(first, BaseException)
        assert not isinstance(last, BaseException)

    @pytest.mark.parametrize("kind", sampled(["text/html", "application/xml"], ["application/xml"]))
    async def test_memory(self, tmp_path: Path, kind: str) -> None:
        """The page is refused, the next one is read by the same process."""
        model, page = things(tmp_path)
        large = Fetched(
            "http://site.example/list", 200, {"content-type": kind}, b"<a>" + b"<b>x</b>" * 900_000 + b"</a>"
        )
        limits = RunLimits(worker_bytes=200_000_000)
        async with pool_of(model, limits) as pool:
            assert len((await pool.read(page, [listing(3)])).extraction.follows) == 3
            before = workers_of(os.getpid())
            with pytest.raises(FetchFailed) as failed:
                await pool.read(page, [large])
            assert len((await pool.read(page, [listing(3)])).extraction.follows) == 3
            assert workers_of(os.getpid()) == before
        assert failed.value.kind is ProblemKind.LIMIT
        assert failed.value.reason == (
            "reading the page takes more memory than the 200,000,000 bytes that a worker may have"
        )

    async def test_bodies_that_no_worker_could_take(self, tmp_path: Path) -> None:
        """They are not even sent."""
        model, page = things(tmp_path)
        async with pool_of(model, RunLimits(worker_bytes=1000)) as pool:
            with pytest.raises(FetchFailed, match="have 251 bytes; with these limits 250 are the most"):
                await pool.read(page, [Fetched("http://site.example/list", 200, {}, b"x" * 251)])

    @pytest.mark.parametrize("program", [launching._PROGRAM, "raise SystemExit(3)"], ids=["no room", "no program"])
    async def test_workers_that_cannot_begin_end_the_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
    ) -> None:
        """After some tries, with the likely reason."""
        monkeypatch.setattr(launching, "_PROGRAM", program)
        model, page = things(tmp_path)
        async with pool_of(model, RunLimits(worker_bytes=1_000_000)) as pool:
            pages = (pool.read(page, [listing(1)]) for _ in range(3))
            refused = await asyncio.gather(*pages, return_exceptions=True)
        assert [type(one) for one in refused] == [UsageError] * 3
        assert str(refused[0]).endswith("with status 3; perhaps worker-bytes=1000000 is too little for them")


@pytest.mark.usefixtures("cold_processes", "hostile_pages")
class TestWorkersThatFail:
    """A page ends at most two workers, and harms no other page."""

    @pytest.mark.parametrize(
        ("misdeed", "reason"),
        [
            ("crash", "died with status -11"),
            ("no-extraction", "answered with nonsense: an object is expected"),
            *(
                pytest.param(misdeed, reason, marks=pytest.mark.exhaustive)
                for misdeed, reason in (
                    ("half-frame", "died with status 0"),
                    ("huge-frame", "answered with nonsense: a frame of 1,125,899,906,842,626 bytes"),
                    ("kill", "died with status -9"),
                    ("exit", "died with status 7"),
                    ("close", "died with status"),
                    ("garbage", "answered with nonsense: a frame does not begin like this"),
                    ("two-answers", "answered with nonsense"),
                )
            ),
        ],
    )
    async def test_a_page_that_ends_its_worker(self, tmp_path: Path, misdeed: str, reason: str) -> None:
        """It gets one more try and becomes a problem then; the pages beside it are read."""
        model, page = things(tmp_path)
        beginnings = ("", "", f"<!--{misdeed}-->", "", "")
        async with pool_of(model) as pool:
            pages = (pool.read(page, [listing(3, beginning)]) for beginning in beginnings)
            read = await asyncio.gather(*pages, return_exceptions=True)
        failed = read.pop(2)
        assert isinstance(failed, DocumentError)
        assert reason in str(failed)
        assert [len(one.extraction.follows) for one in read if not isinstance(one, BaseException)] == [3] * 4

    @pytest.mark.parametrize("misdeed", sampled(["kill", "garbage", "half-frame"], ["garbage"]))
    async def test_another_process_may_fare_better(self, tmp_path: Path, misdeed: str) -> None:
        """What has happened once is no problem."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            read = await pool.read(page, [listing(3, f"<!--{misdeed} {tmp_path / 'done'}-->")])
        assert len(read.extraction.follows) == 3

    async def test_a_worker_that_is_killed_while_it_reads(self, tmp_path: Path) -> None:
        """Its pages are read by the next one."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            await pool.read(page, [listing(1)])
            (process,) = workers_of(os.getpid())
            os.kill(process, signal.SIGSTOP)
            pages = [asyncio.create_task(pool.read(page, [listing(3, number=number)])) for number in range(5)]
            await asyncio.sleep(0)
            os.kill(process, signal.SIGKILL)
            read = await asyncio.gather(*pages)
            assert workers_of(os.getpid()) != {process}
        assert [len(one.extraction.follows) for one in read] == [3] * 5

    async def test_what_is_printed_harms_nothing(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """Neither the answers nor the terminal."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            read = await pool.read(page, [listing(3, "<!--chatter-->")])
            assert len(read.extraction.follows) == 3
        assert capfd.readouterr() == ("", "")

    async def test_a_fault_of_the_program_is_raised_here(self, tmp_path: Path) -> None:
        """With its place; the process goes on."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            with pytest.raises(WorkerFailure, match="KeyError: 'a fault'") as failure:
                await pool.read(page, [listing(3, "<!--fail-->")])
            assert "hostile.py:" in failure.value.place
            assert failure.value.place.endswith(" in fail")
            before = workers_of(os.getpid())
            await pool.read(page, [listing(3)])
            assert workers_of(os.getpid()) == before


@pytest.mark.usefixtures("cold_processes")
class TestWhatTheyKnow:
    """A page that takes over the process that reads it finds little there."""

    async def test_secrets_of_the_crawl_are_not_in_a_worker(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nor is the rest of its environment, except for what Python needs."""
        monkeypatch.setenv("SHOP_TOKEN", "very-secret")
        monkeypatch.setenv("PYTHONHASHSEED", "7")
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            await pool.read(page, [listing(1)])
            (process,) = workers_of(os.getpid())
            environment = Path(f"/proc/{process}/environ").read_bytes()
        assert b"PYTHONHASHSEED=7" in environment
        assert b"very-secret" not in environment

    async def test_files_of_the_crawl_are_not_open_in_a_worker(self, tmp_path: Path) -> None:
        """Only where it answers, and nowhere."""
        model, page = things(tmp_path)
        with (tmp_path / "secret").open("w") as secret:
            os.set_inheritable(secret.fileno(), True)
            async with pool_of(model) as pool:
                await pool.read(page, [listing(1)])
                (process,) = workers_of(os.getpid())
                opened = [path.readlink() for path in Path(f"/proc/{process}/fd").iterdir()]
        assert sorted(str(path).partition(":")[0] for path in opened) == ["/dev/null"] * 3 + ["socket"]


@pytest.mark.usefixtures("cold_processes")
class TestTheirEnd:
    """Nobody is left behind."""

    async def test_two_pools_do_not_disturb_each_other(self, tmp_path: Path) -> None:
        """Each reads with its own model, and closing one ends only its own processes."""
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        model_a, page_a = things(tmp_path / "a")
        model_b, page_b = things(tmp_path / "b", "//li[1]/a")
        async with pool_of(model_b) as second:
            async with aclosing(WorkerPool.started(RunLimits(), model_a)) as first:
                read = await asyncio.gather(
                    *(pool.read(page, [listing(9)]) for pool, page in ((first, page_a), (second, page_b)) * 20)
                )
                assert [len(one.extraction.follows) for one in read] == [9, 1] * 20
                assert len(workers_of(os.getpid())) == 2
            assert len(workers_of(os.getpid())) == 1
            assert len((await second.read(page_b, [listing(9)])).extraction.follows) == 1

    async def test_a_reader_that_gives_up_leaves_the_pool_in_order(self, tmp_path: Path) -> None:
        """Answers that are no longer wanted are dropped, and the others are not mixed up."""
        model, page = things(tmp_path)
        async with pool_of(model) as pool:
            reading = [asyncio.create_task(pool.read(page, [listing(number)])) for number in range(60)]
            await asyncio.sleep(0)
            for task in reading[::2]:
                task.cancel()
            read = await asyncio.gather(*reading, return_exceptions=True)
            found = [None if isinstance(one, BaseException) else len(one.extraction.follows) for one in read]
            assert found == [None if number % 2 == 0 else number for number in range(60)]

    async def test_closing_cancels_what_is_not_answered(self, tmp_path: Path) -> None:
        """And nothing can be asked afterwards."""
        model, page = things(tmp_path, ENDLESS)
        async with pool_of(model) as pool:
            reading = [asyncio.create_task(pool.read(page, [listing(3000)])) for _ in range(9)]
            await asyncio.sleep(0)
        outcomes = await asyncio.gather(*reading, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
        with pytest.raises(RuntimeError, match="closed"):
            await pool.read(page, [listing(1)])

    @pytest.mark.parametrize("path", ["//li/a", ENDLESS], ids=["idle", "reading"])
    def test_workers_end_when_the_crawl_is_killed(self, tmp_path: Path, path: str) -> None:
        """Whether they have something to do or not."""
        things(tmp_path, path)
        program = "import sys; sys.path[:] = sys.argv[2:]; from tests.engine.workers.listings import crawl; crawl()"
        crawl = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "model.ttl"), *sys.path], stdout=subprocess.PIPE
        )
        with crawl:
            assert crawl.stdout is not None
            process = int(crawl.stdout.readline())
            handle = os.pidfd_open(process)
            crawl.kill()
            ended, _, _ = select.select([handle], [], [], 60)
            os.close(handle)
        assert ended
