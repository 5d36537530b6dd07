"""The shop with Scrapy, written as triples with rdflib: ``crawl.py START OUTPUT``."""

import hashlib
import json
import sys
from datetime import datetime

import scrapy
from rdflib import XSD, Dataset, Literal, Namespace, URIRef
from scrapy.crawler import CrawlerProcess
from w3lib.url import url_query_cleaner

ITEM = Namespace("item://")
ARTICLE = Namespace("property://article/")
OFFER = Namespace("property://offer/")
NUMBER = r"([\d.]+,\d\d)"


def text_of(selector):
    return "".join("\n" if part == "<br>" else part for part in selector.xpath(".//text() | .//br").getall()).strip()


def number(selector):
    text = selector.xpath(".//text()").re_first(NUMBER).replace(".", "").replace(",", ".")
    return Literal(text, datatype=XSD.decimal)


class TriplesPipeline:
    """Collects the triples of all items in one graph and writes it at the end."""

    def open_spider(self):
        self.dataset = Dataset()
        self.graph = self.dataset.graph(URIRef("run://1"))

    def process_item(self, item):
        for triple in item["triples"]:
            self.graph.add(triple)
        return item

    def close_spider(self):
        self.dataset.serialize(output, format="nquads", encoding="utf-8")


class ShopSpider(scrapy.Spider):
    name = "shop"

    def parse(self, response):
        yield from response.follow_all(xpath="//ul[@class='articles']/li/a", callback=self.parse_article)
        yield from response.follow_all(xpath="//a[@rel='next']")

    def parse_article(self, response):
        article = response.xpath("//div[@id='article']")
        subject = URIRef(url_query_cleaner(response.url, ("ref", "sid"), remove=True))
        added = datetime.strptime(text_of(article.xpath(".//time")), "%d.%m.%Y").date()
        stock = article.xpath(".//span[@class='stock']/@data-count").get()
        triples = [
            (URIRef(start), ITEM.article, subject),
            (subject, ARTICLE.name, Literal(text_of(article.xpath(".//h1")))),
            (subject, ARTICLE.price, number(article.xpath(".//span[@class='price']"))),
            (subject, ARTICLE.added, Literal(added.isoformat(), datatype=XSD.date)),
            (subject, ARTICLE.stock, Literal(stock, datatype=XSD.int)),
            (subject, ARTICLE.text, Literal(text_of(article.xpath(".//div[@class='text']")))),
        ]
        stars = article.xpath(".//span[starts-with(@class, 'stars ')]/@class").re_first(r"stars-(\d(?:_\d)?)")
        if stars:
            triples.append((subject, ARTICLE.rating, Literal(stars.replace("_", "."), datatype=XSD.decimal)))
        for row in article.xpath(".//table[@class='offers']//tr"):
            seller, price = row.xpath("./td[1]"), row.xpath("./td[2]")
            values = [{str(OFFER.price): text_of(price)}, {str(OFFER.seller): text_of(seller)}]
            content = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
            offer = URIRef(f"{subject}#{hashlib.sha1(content).hexdigest()}")
            triples += [
                (subject, ITEM.offer, offer),
                (offer, OFFER.seller, Literal(text_of(seller))),
                (offer, OFFER.price, number(price)),
            ]
        yield {"triples": triples}


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
        "ITEM_PIPELINES": {TriplesPipeline: 1},
    }
)
process.crawl(ShopSpider, start_urls=[start])
process.start()
