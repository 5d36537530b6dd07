"""The shop with aiohttp and lxml alone: ``crawl.py START OUTPUT``."""

import asyncio
import json
import re
import sys
from datetime import datetime
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

import aiohttp
from lxml import html

CONCURRENCY = 16
PARSER = html.HTMLParser(encoding="utf-8")


def text_of(element):
    parts = element.xpath(".//text() | .//br")
    return "".join(part if isinstance(part, str) else "\n" for part in parts).strip()


def number(text):
    return re.search(r"[\d.]+,\d\d", text)[0].replace(".", "").replace(",", ".")


def without_tracking(url):
    parts = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in ("ref", "sid")]
    return urlunsplit(parts._replace(query=urlencode(query)))


def read_article(url, body):
    [article] = html.fromstring(body, parser=PARSER).xpath("//div[@id='article']")
    record = {
        "url": without_tracking(url),
        "name": text_of(article.xpath(".//h1")[0]),
        "price": number(text_of(article.xpath(".//span[@class='price']")[0])),
        "added": datetime.strptime(text_of(article.xpath(".//time")[0]), "%d.%m.%Y").date().isoformat(),
        "stock": int(article.xpath(".//span[@class='stock']/@data-count")[0]),
        "text": text_of(article.xpath(".//div[@class='text']")[0]),
        "offers": [
            {"seller": text_of(row.xpath("./td[1]")[0]), "price": number(text_of(row.xpath("./td[2]")[0]))}
            for row in article.xpath(".//table[@class='offers']//tr")
        ],
    }
    if stars := article.xpath(".//span[starts-with(@class, 'stars ')]/@class"):
        record["rating"] = re.search(r"(?<=stars-)\d(_\d)?", stars[0])[0].replace("_", ".")
    return record


async def main(start, out):
    queue = asyncio.Queue()
    queue.put_nowait((start, True))
    seen = set()

    def add(url, is_list):
        if without_tracking(url) not in seen:
            seen.add(without_tracking(url))
            queue.put_nowait((url, is_list))

    async def work():
        while True:
            url, is_list = await queue.get()
            async with session.get(url) as response:
                body = await response.read()
            if is_list:
                page = html.fromstring(body, parser=PARSER)
                for link in page.xpath("//ul[@class='articles']/li/a/@href"):
                    add(urljoin(url, link), False)
                for link in page.xpath("//a[@rel='next']/@href"):
                    add(urljoin(url, link), True)
            else:
                out.write(json.dumps(read_article(url, body), ensure_ascii=False) + "\n")
            queue.task_done()

    async with aiohttp.ClientSession() as session:
        workers = [asyncio.create_task(work()) for _ in range(CONCURRENCY)]
        done = asyncio.create_task(queue.join())
        finished, _ = await asyncio.wait([done, *workers], return_when=asyncio.FIRST_COMPLETED)
        for worker in workers:
            worker.cancel()
        for task in finished:
            task.result()


start, output = sys.argv[1:]
with open(output, "w", encoding="utf-8") as out:
    asyncio.run(main(start, out))
