"""The shop with Scrapy, its articles in a browser: ``crawl.py START OUTPUT``; ``CHROMIUM`` names the browser."""

import os
import sys
from datetime import datetime

import scrapy
from scrapy.crawler import CrawlerProcess
from w3lib.url import url_query_cleaner

NUMBER = r"([\d.]+,\d\d)"
IN_BROWSER = {"playwright": True, "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"}}


def text_of(selector):
    return "".join("\n" if part == "<br>" else part for part in selector.xpath(".//text() | .//br").getall()).strip()


def number(selector):
    return selector.xpath(".//text()").re_first(NUMBER).replace(".", "").replace(",", ".")


class ShopSpider(scrapy.Spider):
    name = "shop"

    def parse(self, response):
        articles = "//ul[@class='articles']/li/a"
        yield from response.follow_all(xpath=articles, callback=self.parse_article, meta=IN_BROWSER)
        yield from response.follow_all(xpath="//a[@rel='next']")

    def parse_article(self, response):
        article = response.xpath("//div[@id='article']")
        item = {
            "url": url_query_cleaner(response.url, ("ref", "sid"), remove=True),
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
        yield item


start, output = sys.argv[1:]
process = CrawlerProcess(
    {
        "DOWNLOAD_HANDLERS": {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": os.environ["CHROMIUM"], "args": ["--no-sandbox"]},
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None,
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "FEEDS": {output: {"format": "jsonlines", "encoding": "utf8"}},
    }
)
process.crawl(ShopSpider, start_urls=[start])
process.start()
