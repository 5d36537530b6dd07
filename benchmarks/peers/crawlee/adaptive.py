"""The shop with Crawlee, which finds out what needs a browser (``CHROMIUM``): ``adaptive.py START OUTPUT``."""

import asyncio
import json
import logging
import os
import re
import sys
from datetime import datetime
from urllib.parse import urljoin

from crawlee import ConcurrencySettings, Request, service_locator
from crawlee.crawlers import AdaptivePlaywrightCrawler, AdaptivePlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
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


async def main(start):
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = AdaptivePlaywrightCrawler.with_parsel_static_parser(
        concurrency_settings=ConcurrencySettings(min_concurrency=4, desired_concurrency=4, max_concurrency=4),
        result_checker=lambda result: bool(result.push_data_calls or result.add_requests_calls),
        playwright_crawler_specific_kwargs={
            "browser_launch_options": {"executable_path": os.environ["CHROMIUM"], "args": ["--no-sandbox"]},
            "goto_options": {"wait_until": "domcontentloaded"},
            "fingerprint_generator": None,
        },
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def read_list(context: AdaptivePlaywrightCrawlingContext):
        page = await context.parse_with_static_parser()
        links = page.xpath("//ul[@class='articles']/li/a/@href").getall()
        articles = [Request.from_url(urljoin(context.request.url, link), label="article") for link in links]
        lists = [urljoin(context.request.url, link) for link in page.xpath("//a[@rel='next']/@href").getall()]
        await context.add_requests([*articles, *lists])

    @crawler.router.handler("article")
    async def read(context: AdaptivePlaywrightCrawlingContext):
        page = await context.parse_with_static_parser()
        if page.xpath("//div[@id='article']/h1"):
            await context.push_data(read_article(context.request.url, page))

    await crawler.run([start])
    return (await crawler.get_data()).items


logging.disable(logging.WARNING)
start, output = sys.argv[1:]
items = asyncio.run(main(start))
with open(output, "w", encoding="utf-8") as out:
    out.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
