using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>The broker's read-only page: plain HTML without scripts, which loads itself again every two seconds.</summary>
internal static class StatusPage
{
    private const int MostQueues = 500;

    private static readonly string[] Headings =
        ["In/s", "Out/s", "Active", "Locked", "Deferred", "Scheduled", "Dead letters", "Lost locks", "Receivers"];

    private const string Style = """
        :root { color-scheme: light dark; }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
        .wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
        th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
        .n { text-align: right; font-variant-numeric: tabular-nums; } .bad { color: #b00020; font-weight: 600; }
        code { overflow-wrap: anywhere; white-space: pre-wrap; } caption { text-align: left; font-weight: 600; padding: .5rem 0; }
        @media (prefers-color-scheme: dark) { .bad { color: #ff8a80; } a { color: #8ab4f8; } }
        """;

    private static readonly string StyleHash = Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(Style)));

    private static readonly string Policy =
        $"default-src 'none'; style-src 'sha256-{StyleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    public static void SetHeaders(IHeaderDictionary headers)
    {
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers.CacheControl = "no-store";
        headers["Referrer-Policy"] = "no-referrer";
    }

    public static string OfBroker(ServiceBusNamespace entities, AmqpFrontEnd frontEnd, Rates rates)
    {
        var all = entities.Sources.ToList();
        var shown = all.Take(MostQueues).Select(queue => (Queue: queue, Counts: queue.Counts())).ToList();
        var rateOf = rates.Look(entities.Time, [.. shown.Select(it => (it.Queue.Name, it.Counts))]);
        var html = new StringBuilder($"<p>{frontEnd.ConnectionCount} AMQP connections, {Plural(all.Count, "queue")}");
        if (entities.Defects.Count > 0)
            html.Append($", <span class=bad>{Plural(entities.Defects.Count, "defect")} of the broker: see its log</span>");
        html.Append(".</p>");
        if (entities.Journal.Trouble is { } trouble)
            html.Append($"<p class=bad>The data folder cannot be written, so sends are refused: {Encode(trouble)}</p>");
        html.Append("<div class=wide><table><caption>Queues</caption><thead><tr><th scope=col>Queue");
        foreach (var heading in Headings)
            html.Append($"<th scope=col class=n>{heading}");
        html.Append("</thead><tbody>");
        var links = frontEnd.Links();
        foreach (var (queue, counts) in shown)
            Row(html, queue, counts, rateOf(queue.Name), links[queue].Count());
        html.Append("</tbody></table></div>");
        if (all.Count > shown.Count)
            html.Append($"<p>{all.Count - shown.Count} more queues are not shown.</p>");
        return Document("Local Service Bus", html.ToString(), reloads: true);
    }

    /// <param name="title">Plain text.</param>
    /// <param name="body">HTML.</param>
    /// <param name="reloads">Whether the page follows what changes.</param>
    public static string Document(string title, string body, bool reloads) =>
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\">"
        + (reloads ? "<meta http-equiv=refresh content=2>" : "")
        + $"<title>{Encode(title)}</title><style>{Style}</style></head><body><h1>{Encode(title)}</h1>{body}</body></html>";

    public static string Encode(string text) => HtmlEncoder.Default.Encode(text);

    public static string Link(string queue, bool deadLetters, string text) =>
        $"<a href=\"/?queue={UrlEncoder.Default.Encode(queue)}{(deadLetters ? "&amp;deadLetters=true" : "")}\">{Encode(text)}</a>";

    private static void Row(StringBuilder html, Queue queue, QueueCounts counts, (double In, double Out)? rate, int receivers)
    {
        html.Append($"<tr><td>{Link(queue.Name, deadLetters: false, queue.Name)}");
        if (queue.Failure is not null)
            html.Append(" <span class=bad>failed: delete it and create it again</span>");
        else if (queue.Options.Status != EntityStatus.Active)
            html.Append($" ({queue.Options.Status})");
        if (queue.Options.ForwardTo is { } target)
            html.Append($" → {Encode(Forwarding.PathOf(target))}");
        if (counts.TransferDeadLetter > 0)
            html.Append($" <span class=bad>{Number(counts.TransferDeadLetter)} not forwarded</span>");
        Cell(html, rate is null ? "–" : Rate(rate.Value.In));
        Cell(html, rate is null ? "–" : Rate(rate.Value.Out));
        foreach (var count in new[] { counts.Active, counts.Locked, counts.Deferred, counts.Scheduled })
            Cell(html, Number(count));
        Cell(html, counts.DeadLetter == 0 ? "0" : Link(queue.Name, deadLetters: true, Number(counts.DeadLetter)));
        Cell(html, Number(counts.LockLost));
        Cell(html, Number(receivers));
    }

    private static void Cell(StringBuilder html, string content) => html.Append("<td class=n>").Append(content);

    private static string Plural(long count, string noun) => $"{Number(count)} {noun}{(count == 1 ? "" : "s")}";

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string Rate(double rate) => rate.ToString(rate < 10 ? "0.0" : "N0", CultureInfo.InvariantCulture);
}
