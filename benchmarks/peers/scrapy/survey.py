"""A whole site with Scrapy's CrawlSpider, pages and links as JSON lines: ``survey.py START OUTPUT``."""

import sys
from hashlib import sha1

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class OncePerPage(LinkExtractor):
    """The spider extracts the links to follow them, and again to write them: once is enough."""

    def extract_links(self, response):
        if "links" not in response.meta:
            response.meta["links"] = super().extract_links(response)
        return response.meta["links"]


class SiteSpider(CrawlSpider):
    name = "site"
    links = OncePerPage()
    rules = (Rule(links, callback="parse_page", follow=True),)

    def parse_start_url(self, response, **kwargs):
        return self.parse_page(response)

    def parse_page(self, response):
        yield {
            "url": response.url,
            "status": response.status,
            "bytes": len(response.body),
            "digest": sha1(response.body).hexdigest(),
            "depth": response.meta["depth"],
            "title": response.xpath("//title/text()").get(),
            "language": response.xpath("/html/@lang").get(),
            "images": [response.urljoin(source) for source in response.xpath("//img/@src").getall()],
            "links": [{"url": link.url, "text": link.text.strip()} for link in self.links.extract_links(response)],
        }


start, output = sys.argv[1:]
process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "FEEDS": {output: {"format": "jsonlines", "encoding": "utf8"}},
    }
)
process.crawl(SiteSpider, start_urls=[start])
process.start()
