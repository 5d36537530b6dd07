"""The shop with Crawlee, every page in a browser: ``crawl.py START OUTPUT``; ``CHROMIUM`` names the browser."""

import asyncio
import json
import logging
import os
import re
import sys
from datetime import datetime
from urllib.parse import urljoin

from crawlee import ConcurrencySettings, Request, service_locator
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from parsel import Selector
from w3lib.url import url_query_cleaner


def text_of(selector):
    return "".join("\n" if part == "<br>" else part for part in selector.xpath(".//text() | .//br").getall()).strip()


def number(selector):
    return re.search(r"[\d.]+,\d\d", text_of(selector))[0].replace(".", "").replace(",", ".")


def read_article(url, page):
    article = page.xpath("//div[@id='article']")
    item = {
        "url": url_query_cleaner(url, ("ref", "sid"), remove=True),
        "name": text_of(article.xpath(".//h1")),
        "price": number(article.xpath(".//span[@class='price']")),
        "added": datetime.strptime(text_of(article.xpath(".//time")), "%d.%m.%Y").date().isoformat(),
        "stock": int(article.xpath(".//span[@class='stock']/@data-count").get()),
        "text": text_of(article.xpath(".//div[@class='text']")),
        "offers": [
            {"seller": text_of(row.xpath("./td[1]")), "price": number(row.xpath("./td[2]"))}
            for row in article.xpath(".//table[@class='offers']//tr")
        ],
    }
    stars = article.xpath(".//span[starts-with(@class, 'stars ')]/@class").re_first(r"stars-(\d(?:_\d)?)")
    if stars:
        item["rating"] = stars.replace("_", ".")
    return item


async def main(start, out):
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = PlaywrightCrawler(
        concurrency_settings=ConcurrencySettings(min_concurrency=4, desired_concurrency=4, max_concurrency=4),
        browser_launch_options={"executable_path": os.environ["CHROMIUM"], "args": ["--no-sandbox"]},
        goto_options={"wait_until": "domcontentloaded"},
        fingerprint_generator=None,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def read_list(context: PlaywrightCrawlingContext):
        page = Selector(await context.page.content())
        links = page.xpath("//ul[@class='articles']/li/a/@href").getall()
        articles = [Request.from_url(urljoin(context.request.url, link), label="article") for link in links]
        lists = [urljoin(context.request.url, link) for link in page.xpath("//a[@rel='next']/@href").getall()]
        await context.add_requests([*articles, *lists])

    @crawler.router.handler("article")
    async def read(context: PlaywrightCrawlingContext):
        item = read_article(context.request.url, Selector(await context.page.content()))
        out.write(json.dumps(item, ensure_ascii=False) + "\n")

    await crawler.run([start])


logging.disable(logging.INFO)
start, output = sys.argv[1:]
with open(output, "w", encoding="utf-8") as out:
    asyncio.run(main(start, out))
