"""A hostile or broken site: whatever it sends is the trouble of one page, and the run goes on to its end."""

from __future__ import annotations

import asyncio
import gzip
import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest

from rdfcrawl.engine.crawl import visit as visiting
from rdfcrawl.engine.fetch import guard
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.limits import RunLimits, connections_at_once
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from rdfcrawl.metamodel.load import load_model
from tests.crawling import Crawled, unloaded_store
from tests.sampling import sampled
from tests.security.raw_site import THING, RawSite, answer, crawled, listing, raw_site, told


async def one_page(folder: Path, sent: bytes, *settings: str) -> list[tuple[str, str]]:
    """The problems of a run whose only page is this answer."""
    async with raw_site({"/": sent}) as site:
        return told(await crawled(site, folder, *settings))


def kinds_of_pages(run: Crawled, site: RawSite) -> dict[str, str]:
    """The kind of the one problem that a page has, by its path."""
    kinds = {problem["address"].removeprefix(site.address): problem["kind"] for problem in run.problems}
    assert len(kinds) == len(run.problems)
    return kinds


MOMENTS = [
    b"Mon, 01 Jan 2024 00:00:00 +99999999999999",
    b"Mon, 01 Jan 99999999999 00:00:00 GMT",
    b"9" * 400,
    b"-1",
    b"\xff",
]


class TestHeaders:
    async def test_a_redirect_to_nowhere_is_a_problem_of_its_page(self, tmp_path: Path) -> None:
        """Whatever bytes it is made of, and wherever it would lead."""
        targets = {
            b"javascript:\xff": "unreachable",
            b"mailto:\xe4 x": "unreachable",
            b"data:text/html,x": "refused",
            b"file:///etc/passwd": "refused",
            b"http://a..b/": "unreachable",
            b"http://\xff.example/": "unreachable",
            b"http://[::1": "unreachable",
            b"http://10.0.0.1/": "refused",
            b"http://[64:ff9b::a00:1]/": "refused",
            b"/" + b"a" * 40_000: "unreachable",
            b"/10": "limit",
        }
        sent = {f"/{number}": answer(b"", b"Location: " + target, status=302) for number, target in enumerate(targets)}
        async with raw_site({"/": listing(*sent), **sent}) as site:
            run = await crawled(site, tmp_path, start="list")
        assert kinds_of_pages(run, site) == dict(zip(sent, targets.values(), strict=True))
        assert all(reason.isprintable() for _, reason in told(run))

    async def test_a_media_type_of_any_bytes_is_a_problem_of_its_page(self, tmp_path: Path) -> None:
        """Bytes that are not UTF-8 are read as old servers meant them."""
        assert await one_page(tmp_path, answer(THING, b"Content-Type: text/\xff")) == [
            ("unreadable", "text/ÿ has no elements")
        ]

    @pytest.mark.parametrize("moment", sampled(MOMENTS, MOMENTS[1:3]))
    async def test_a_moment_beyond_all_numbers_is_not_waited_for(self, tmp_path: Path, moment: bytes) -> None:
        """The page is tried as often as any other, or given up at once where the server says: never."""
        async with raw_site({"/": answer(b"", b"Retry-After: " + moment, status=503)}) as site:
            assert told(await crawled(site, tmp_path)) == [("unreachable", "the server answered 503")]

    async def test_a_validator_that_no_header_can_hold_is_not_sent_back(self, tmp_path: Path) -> None:
        """The next run reads the page as the first one did."""
        async with raw_site({"/": answer(THING, b'ETag: "a\x01b"', b"Last-Modified: \xff")}) as site:
            first = await crawled(site, tmp_path)
            second = await crawled(site, tmp_path)
        assert first.triples == second.triples != frozenset()
        assert not second.problems


class TestLinks:
    async def test_a_link_that_cannot_be_followed_costs_only_its_page(self, tmp_path: Path) -> None:
        """Every other page of the list is read."""
        links = [
            "http://a..b/",
            f"http://{'a' * 64}.example/",
            "http://.example/",
            "http://a%3Ab:x@127.0.0.1:1/",
            "http://%E2%82%AC:x@127.0.0.1:1/",
            "http://10.0.0.1/",
            "http://127.2/",
            "http://0x7f.3/",
            "http://2130706436/",
            "http://[::ffff:127.0.0.2]/",
            "http://[2002:7f00:2::]/",
        ]
        async with raw_site({"/": listing(*links, "/ok"), "/ok": answer(THING)}) as site:
            run = await crawled(site, tmp_path, start="list")
        assert len(run.problems) == len(links)
        assert {kind for kind, _ in told(run)} <= {"unreachable", "refused", "bad-address"}
        assert f'<{site.address}/ok> <property://name> "Hello"' in run.triples

    async def test_one_page_in_many_spellings_is_read_once(self, tmp_path: Path) -> None:
        """Links, redirects and archives have one spelling of each address: that of the WHATWG."""
        async with raw_site({"/": answer(b""), "/thing": answer(THING)}) as site:
            port = site.address.rpartition(":")[2]
            forms = ("127.1", "0x7f000001", "2130706433", "127.0.0.1", "0177.0.0.1")
            site.answers = {
                **site.answers,
                "/": listing(*(f"HTTP://{form}:{port}/a/../thing#{form}" for form in forms)),
            }
            run = await crawled(site, tmp_path, start="list")
        assert site.asked == ["/", "/thing"]
        assert not run.problems

    async def test_a_start_page_is_known_without_its_params(self, tmp_path: Path) -> None:
        """A link back to it, without them, is no other page."""
        model = tmp_path / "model.ttl"
        async with raw_site({}) as site:
            markup = b'<main><h1>x</h1><p><a href="/?a=1">here</a></p></main>'
            site.answers = {"/?sid=5&a=1": answer(markup), "/?a=1": answer(markup)}
            section = f"{site.address}/?sid=5&a=1"
            text = (
                "@prefix : <predicate://> . @prefix type: <type://> . @prefix x: <x:> . "
                f"<model:> :section <{section}> . <{section}> :page x:page . x:page :type type:object ; :item x:item ; "
                ':param "sid" ; :link x:link . x:link :path "//p/a" ; :target x:page . '
                'x:item :path "//main" ; :property x:name . x:name :path ".//h1" .'
            )
            model.write_text(text, encoding="utf-8")
            await run_model(load_model(model), unloaded_store(tmp_path / "store"), RunOptions(ignore_robots=True))
        assert site.asked == ["/?sid=5&a=1"]


class TestBodies:
    @pytest.mark.parametrize(
        ("coding", "compress"),
        [(b"gzip", partial(gzip.compress, compresslevel=1)), (b"br", partial(brotli.compress, quality=5))],
        ids=["gzip", "brotli"],
    )
    async def test_bytes_are_counted_after_decompression(
        self, tmp_path: Path, coding: bytes, compress: Callable[[bytes], bytes]
    ) -> None:
        """A few bytes that become forty millions are a problem of their page."""
        sent = answer(compress(bytes(40_000_000)), b"Content-Encoding: " + coding)
        assert await one_page(tmp_path, sent) == [("limit", "the body is larger than 33,554,432 bytes")]

    async def test_a_body_that_lies_about_its_coding_is_a_problem_of_its_page(self, tmp_path: Path) -> None:
        """It is tried again, as anything that broke off on its way."""
        ((kind, reason),) = await one_page(tmp_path, answer(THING, b"Content-Encoding: gzip"))
        assert kind == "unreachable"
        assert "broke off" in reason or "decode" in reason

    @pytest.mark.parametrize(
        "markup",
        [
            "<p>" + "".join(f"<b id=b{number}>" for number in range(6000)) + "</p>" + "<p>x" * 6000,
            pytest.param("".join(f"<body a{number}=1>" for number in range(14_000)), marks=pytest.mark.exhaustive),
            pytest.param("<div>" * 100_000, marks=pytest.mark.exhaustive),
            pytest.param("<b>x</b>" * 1_100_000, marks=pytest.mark.exhaustive),
        ],
        ids=["formatting", "bodies", "deep", "many"],
    )
    async def test_markup_that_takes_too_much_is_a_problem_of_its_page(self, tmp_path: Path, markup: str) -> None:
        """The process that reads it has its limits; the next page is read."""
        answers = {"/": listing("/bad", "/ok"), "/bad": answer(markup.encode()), "/ok": answer(THING)}
        async with raw_site(answers) as site:
            run = await crawled(site, tmp_path, start="list")
        ((kind, _),) = told(run)
        assert kind in ("limit", "no-root")
        assert f'<{site.address}/ok> <property://name> "Hello"' in run.triples

    async def test_xml_that_is_not_quite_xml_is_read(self, tmp_path: Path) -> None:
        """Emoji in two halves, as many feeds write them; names and prefixes that are none."""
        names = {
            "<r><main><h1>x &#55357;&#56832;</h1></main></r>": "x \N{GRINNING FACE}",
            "<r><main><h1>x &#xD83D;</h1></main></r>": "x \ufffd",
            '<r xmlns="x"><a:b:c xmlns:a="x">t</a:b:c><main><h1>x</h1></main></r>': "x",
            "<a:b><main><h1>x</h1></main></a:b>": "x",
            '<r xmlns="a}b{c"><main><h1>x</h1></main></r>': "x",
        }
        sent = {
            f"/{number}": answer(markup.encode(), b"Content-Type: application/xml")
            for number, markup in enumerate(names)
        }
        async with raw_site({"/": listing(*sent), **sent}) as site:
            run = await crawled(site, tmp_path, start="list")
        assert not run.problems
        for path, name in zip(sent, names.values(), strict=True):
            assert f'<{site.address}{path}> <property://name> "{name}"' in run.triples

    async def test_a_number_of_results_without_end_is_none(self, tmp_path: Path) -> None:
        """Nobody has as many."""
        listed = answer(b'<li><a href="/ok">x</a></li><b>' + b"9" * 5000 + b"</b>")
        async with raw_site({"/": listed, "/ok": answer(THING)}) as site:
            run = await crawled(site, tmp_path, start="list", more='; :total "//b"')
        assert not run.problems

    async def test_a_value_that_no_reader_could_hold_is_a_problem(self, tmp_path: Path) -> None:
        """It is quoted, but not as a whole."""
        async with raw_site({"/": answer(b"<main><h1>" + b"a" * 2_000_000 + b"</h1></main>")}) as site:
            run = await crawled(site, tmp_path)
        assert "a value has 1,000,000 at most" in "".join(reason for _, reason in told(run))
        assert all(len(problem.get("raw", "")) <= 10_000 for problem in run.problems)


class TestTheBoundary:
    async def test_an_unexpected_exception_is_a_problem_of_its_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the place in the code and the request to report it; the other pages are read."""
        fingerprint = visiting.seen_page

        def broken(documents: list[visiting.Fetched], packed: bytes) -> object:
            if documents[0].address.endswith("/bad"):
                raise KeyError("nobody thought of this")
            return fingerprint(documents, packed)

        monkeypatch.setattr(visiting, "seen_page", broken)
        answers = {"/": listing("/bad", "/ok"), "/bad": answer(THING), "/ok": answer(THING)}
        async with raw_site(answers) as site:
            run = await crawled(site, tmp_path, start="list")
        ((kind, reason),) = told(run)
        assert kind == "internal"
        assert "rdfcrawl/engine/crawl/visit.py:" in reason
        assert "KeyError: 'nobody thought of this'" in reason
        assert "please report it" in reason
        assert f'<{site.address}/ok> <property://name> "Hello"' in run.triples

    async def test_a_full_disk_is_not_the_trouble_of_a_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The run stops, and can be resumed."""

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(WarcRecorder, "record", full)
        async with raw_site({"/": answer(THING)}) as site:
            with pytest.raises(Stopped, match="is full"):
                await crawled(site, tmp_path)


class TestManyHosts:
    async def test_connections_are_bounded_over_all_hosts(self, tmp_path: Path) -> None:
        """However many hosts a page names, and however polite each single one is asked."""
        together = asyncio.Event()
        most = 24

        async def slow(writer: asyncio.StreamWriter) -> None:
            if site.at_once >= most:
                together.set()
            await together.wait()
            writer.write(answer(THING, b"Connection: close"))
            await writer.drain()

        hosts = [f"127.1.0.{number}" for number in range(1, 101)]
        async with raw_site({"/thing": slow}, host="0.0.0.0") as site:
            port = site.address.rpartition(":")[2]
            site.address = f"http://127.0.0.1:{port}"
            site.answers = {**site.answers, "/": listing(*(f"http://{host}:{port}/thing" for host in hosts))}
            run = await crawled(site, tmp_path, f"connections={most}", start="list", allow_private=True)
        assert not run.problems
        assert site.most_at_once == most

    def test_the_bound_is_below_what_the_system_allows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The queue, the store and the workers need files as well."""
        monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
        assert connections_at_once(RunLimits()) == 42
        monkeypatch.setattr(resource, "getrlimit", lambda _: (32, 32))
        assert connections_at_once(RunLimits()) == 4
        monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert connections_at_once(RunLimits()) == RunLimits().connections


class TestRedirectsToAnotherHost:
    async def test_they_take_turns_there(self, tmp_path: Path) -> None:
        """The host that redirects lead to gets as few requests at once as if it were linked."""
        count = 12
        async with raw_site({}, host="127.0.0.2") as target:
            target.answers = {f"/{number}": answer(THING) for number in range(count)}
            answers = {"/": listing(*(f"/{number}" for number in range(count)))}
            answers |= {
                f"/{number}": answer(b"", f"Location: {target.address}/{number}".encode(), status=302)
                for number in range(count)
            }
            async with raw_site(answers) as site:
                run = await crawled(site, tmp_path, start="list", allow_private=True, concurrency=2)
        assert not run.problems
        assert len(target.asked) == count
        assert target.most_at_once <= 2

    async def test_its_robots_txt_counts(self, tmp_path: Path) -> None:
        """Neither what it forbids nor the pace that it wishes is left out."""
        robots = answer(b"User-agent: *\nDisallow: /secret\n", b"Content-Type: text/plain")
        async with raw_site({"/robots.txt": robots, "/secret": answer(THING)}, host="127.0.0.2") as target:
            moved = answer(b"", f"Location: {target.address}/secret".encode(), status=302)
            async with raw_site({"/": moved}) as site:
                run = await crawled(site, tmp_path, allow_private=True, ignore_robots=False)
        assert [kind for kind, _ in told(run)] == ["refused"]
        assert target.asked == ["/robots.txt"]

    async def test_hosts_that_lead_to_each_other_do_not_wait_for_each_other(self, tmp_path: Path) -> None:
        """A turn is given back before the next one is waited for."""
        async with raw_site({}, host="127.0.0.2") as there, raw_site({}) as here:
            numbers = range(6)
            here.answers = {
                "/": listing(*(f"/go{n}" for n in numbers), *(f"{there.address}/go{n}" for n in numbers)),
                **{f"/go{n}": _moved(f"{there.address}/end{n}") for n in numbers},
                **{f"/end{n}": answer(THING) for n in numbers},
            }
            there.answers = {
                **{f"/go{n}": _moved(f"{here.address}/end{n}") for n in numbers},
                **{f"/end{n}": answer(THING) for n in numbers},
            }
            run = await crawled(here, tmp_path, start="list", allow_private=True, concurrency=1)
        assert not run.problems
        assert len(run.triples) == 2 * 2 * len(numbers)


def _moved(address: str) -> bytes:
    return answer(b"", f"Location: {address}".encode(), status=302)


async def test_a_section_that_was_public_is_not_followed_inside_by_a_later_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a host was is kept with the queue, for all later starts and runs."""
    monkeypatch.setattr(guard, "is_public", lambda ip: ip == "127.0.0.1")
    async with raw_site({"/": answer(THING)}) as site:
        named = RawSite(site.answers, site.address.replace("127.0.0.1", "localhost"))
        first = await crawled(named, tmp_path)
        assert not first.problems
        monkeypatch.setattr(guard, "is_public", lambda ip: False)
        second = await crawled(named, tmp_path)
    ((kind, reason),) = told(second)
    assert kind == "refused"
    assert "but was in the public internet before" in reason
    assert len(site.asked) == 1
