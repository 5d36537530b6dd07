"""The shop with Scrapy, as JSON lines: ``crawl.py START OUTPUT``."""

import sys
from datetime import datetime

import scrapy
from scrapy.crawler import CrawlerProcess
from w3lib.url import url_query_cleaner

NUMBER = r"([\d.]+,\d\d)"


def text_of(selector):
    return "".join("\n" if part == "<br>" else part for part in selector.xpath(".//text() | .//br").getall()).strip()


def number(selector):
    return selector.xpath(".//text()").re_first(NUMBER).replace(".", "").replace(",", ".")


class ShopSpider(scrapy.Spider):
    name = "shop"

    def parse(self, response):
        yield from response.follow_all(xpath="//ul[@class='articles']/li/a", callback=self.parse_article)
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
