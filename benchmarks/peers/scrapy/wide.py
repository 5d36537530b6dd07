"""Wide tables with Scrapy, as JSON lines: ``wide.py START OUTPUT``."""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess


def text_of(selector):
    return "".join(selector.xpath(".//text()").getall()).strip()


class TableSpider(scrapy.Spider):
    name = "tables"

    def parse(self, response):
        yield from response.follow_all(xpath="//ul/li/a", callback=self.parse_place)
        yield from response.follow_all(xpath="//a[@rel='next']")

    def parse_place(self, response):
        place = response.xpath("//main")
        yield {
            "url": response.url,
            "name": text_of(place.xpath(".//h1")),
            "rows": [
                {
                    "day": text_of(row.xpath("./td[1]")),
                    "street": text_of(row.xpath("./td[2]")),
                    "direction": text_of(row.xpath("./td[3]")),
                    "count": text_of(row.xpath("./td[4]")),
                }
                for row in place.xpath(".//table/tbody/tr")
            ],
        }


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
process.crawl(TableSpider, start_urls=[start])
process.start()
