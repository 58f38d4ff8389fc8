using System.Net;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Admin;

public sealed class ManagementApiTests : BrokerTest
{
    private static readonly XNamespace Atom = "http://www.w3.org/2005/Atom";
    private static readonly XNamespace ServiceBus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
    private static readonly XNamespace CountDetails = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

    [Fact]
    public async Task An_update_changes_what_it_names_and_keeps_the_rest()
    {
        await PutAsync("orders", "<LockDuration>PT5S</LockDuration><MaxDeliveryCount>3</MaxDeliveryCount>");

        var (status, entry) = await PutAsync("orders", "<MaxDeliveryCount>7</MaxDeliveryCount><Status>SendDisabled</Status>", update: true);

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.Equal("PT5S", Property(entry, "LockDuration"));
        Assert.Equal("7", Property(entry, "MaxDeliveryCount"));
        Assert.Equal(EntityStatus.SendDisabled, _broker.Broker.Entities.Get("orders").Options.Status);
    }

    [Fact]
    public async Task What_SDKs_send_though_it_asks_for_nothing_is_taken_and_what_has_no_effect_is_kept()
    {
        var (status, entry) = await PutAsync(
            "orders",
            "<EnablePartitioning>false</EnablePartitioning><EnableExpress>False</EnableExpress><AuthorizationRules />"
            + "<SupportOrdering>true</SupportOrdering><EnableBatchedOperations>false</EnableBatchedOperations>");

        Assert.Equal((HttpStatusCode.Created, "false"), (status, Property(entry, "EnableBatchedOperations")));
    }

    [Fact]
    public async Task Forwarding_is_read_back_as_it_was_written_and_ends_when_an_update_leaves_it_out()
    {
        var (status, entry) = await PutAsync(
            "orders",
            "<ForwardTo>sb://localhost/delivery-requests</ForwardTo><AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle>"
            + "<ForwardDeadLetteredMessagesTo>delivery-requests-failed</ForwardDeadLetteredMessagesTo>");

        Assert.Equal(HttpStatusCode.Created, status);
        Assert.Equal("sb://localhost/delivery-requests", Property(entry, "ForwardTo"));
        Assert.Equal("delivery-requests-failed", Property(entry, "ForwardDeadLetteredMessagesTo"));
        Assert.Equal("P10675199DT2H48M5.4775807S", Property(entry, "AutoDeleteOnIdle")); // what forwards is in use
        var changed = (await PutAsync("orders", "<AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle>", update: true)).Body;
        Assert.Equal((null, null), (Property(changed, "ForwardTo"), Property(changed, "ForwardDeadLetteredMessagesTo")));
        Assert.Equal("PT5M", Property(changed, "AutoDeleteOnIdle"));
    }

    [Fact]
    public async Task What_could_not_be_forwarded_is_counted_for_itself()
    {
        await PutAsync("end", "");
        await PutAsync("orders", "<ForwardTo>end</ForwardTo>");
        _broker.Broker.Entities.Delete("end");
        _broker.Broker.Entities.Get("orders").Send(new MessageContent("now"u8.ToArray()));

        var entry = (await GetAsync("orders")).Body;

        var counts = Description(entry).Element(ServiceBus + "CountDetails")!;
        Assert.Equal("1", counts.Element(CountDetails + "TransferDeadLetterMessageCount")?.Value);
        Assert.Equal("0", counts.Element(CountDetails + "DeadLetterMessageCount")?.Value);
        Assert.Equal("1", Property(entry, "MessageCount"));
    }

    [Fact]
    public async Task An_update_of_a_rule_without_a_filter_keeps_the_filter()
    {
        var entities = _broker.Broker.Entities;
        entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic });
        var subscription = entities.Create(QueueOptions.OfSubscription("news", "one")).Subscription!;
        subscription.AddRule(new RuleDescription("red") { Filter = FilterKind.Sql, Expression = "color = 'red'" }, DateTimeOffset.MinValue);
        var body = $"""
            <RuleDescription xmlns="{ServiceBus}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
              <Action i:type="SqlRuleAction"><SqlExpression>SET a = 1</SqlExpression></Action>
            </RuleDescription>
            """;
        var (status, _) = await SendAsync(HttpMethod.Put, "news/Subscriptions/one/Rules/RED", body, update: true);

        Assert.Equal(HttpStatusCode.OK, status);
        var rule = subscription.GetRule("red");
        Assert.Equal(("color = 'red'", "SET a = 1"), (rule.Expression, rule.Action));
    }

    [Fact]
    public async Task A_page_leads_to_the_next_one_and_the_last_to_none()
    {
        foreach (var name in (string[])["a", "b", "c"])
            _broker.CreateQueue(name: name);
        var pages = new List<List<string>>();

        for (var next = "$Resources/queues?$skip=0&$top=1"; next is not null;)
        {
            var feed = (await GetAsync(next)).Body;
            pages.Add(TitlesOf(feed));
            next = feed.Elements(Atom + "link").SingleOrDefault(link => link.Attribute("rel")?.Value == "next")?.Attribute("href")!.Value;
        }

        Assert.Equal([["a"], ["b"], ["c"], ["delivery-requests"], ["delivery-requests-failed"]], pages);
    }

    [Fact]
    public async Task No_document_has_an_xml_declaration()
    {
        foreach (var path in (string[])["delivery-requests", "$Resources/queues", "$namespaceinfo"])
        {
            var document = await _http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);
            Assert.DoesNotContain("<?xml", document, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("<LockDuration>5 s</LockDuration>", "LockDuration")]
    [InlineData("<LockDuration>PT0S</LockDuration>", "LockDuration")]
    [InlineData("<MaxDeliveryCount>few</MaxDeliveryCount>", "MaxDeliveryCount")]
    [InlineData("<MaxDeliveryCount>99999999999</MaxDeliveryCount>", "MaxDeliveryCount")]
    [InlineData("<DefaultMessageTimeToLive>P99999999D</DefaultMessageTimeToLive>", "DefaultMessageTimeToLive")]
    [InlineData("<Status>Asleep</Status>", "Status")]
    [InlineData("<RequiresSession>maybe</RequiresSession>", "RequiresSession")]
    [InlineData("<ForwardTo>other</ForwardTo>", "SubCode=40400. ForwardTo of 'bad' names 'other'")]
    [InlineData("<ForwardDeadLetteredMessagesTo>other</ForwardDeadLetteredMessagesTo>", "SubCode=40400. ForwardDeadLetteredMessagesTo")]
    [InlineData("<ForwardTo>http://localhost/bad</ForwardTo>", "ForwardTo of queue 'bad' must name another entity")]
    [InlineData("<AutoDeleteOnIdle>PT4M59S</AutoDeleteOnIdle>", "AutoDeleteOnIdle")]
    [InlineData("<MaxMessageSizeInKilobytes>9223372036854775807</MaxMessageSizeInKilobytes>", "MaxMessageSizeInKilobytes")]
    [InlineData("<EnablePartitioning>true</EnablePartitioning>", "EnablePartitioning: This broker does not have it")]
    [InlineData("<AuthorizationRules><AuthorizationRule>a</AuthorizationRule></AuthorizationRules>", "AuthorizationRules: ")]
    [InlineData("<Colour>red</Colour>", "Colour: ")]
    public async Task A_description_that_cannot_be_is_refused_by_the_elements_name(string element, string name)
    {
        Refused(HttpStatusCode.BadRequest, name, await PutAsync("bad", element));
        Assert.Null(_broker.Broker.Entities.Find("bad"));
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("{}", "")]
    [InlineData("<entry", "")]
    [InlineData("<!DOCTYPE e [<!ENTITY a 'b'>]><entry>&a;</entry>", "")]
    [InlineData("<entry><content><TopicDescription/></content></entry>", "QueueDescription")]
    public async Task A_body_that_is_no_xml_or_has_no_queue_is_refused(string body, string detail) =>
        Refused(HttpStatusCode.BadRequest, detail, await SendAsync(HttpMethod.Put, "bad", body));

    [Fact]
    public async Task A_body_beyond_a_megabyte_is_refused()
    {
        var (status, _) = await PutAsync("bad", $"<UserMetadata>{new string('x', 1024 * 1024)}</UserMetadata>");

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, status);
    }

    [Theory]
    [InlineData("$Resources/queues?$skip=-1", "$skip")]
    [InlineData("$Resources/queues?$top=all", "$top")]
    public async Task A_page_that_cannot_be_is_refused(string path, string name) =>
        Refused(HttpStatusCode.BadRequest, name, await GetAsync(path));

    [Fact]
    public async Task A_verb_that_means_nothing_here_is_not_allowed()
    {
        using var request = new HttpRequestMessage(HttpMethod.Patch, "delivery-requests");
        using var response = await _http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Contains("PUT", response.Content.Headers.Allow);
    }

    private static List<string> TitlesOf(XElement feed) =>
        [.. feed.Elements(Atom + "entry").Select(entry => entry.Element(Atom + "title")!.Value)];

    private Task<(HttpStatusCode Status, XElement Body)> GetAsync(string path) => SendAsync(HttpMethod.Get, path, null);

    private Task<(HttpStatusCode Status, XElement Body)> PutAsync(string path, string properties, bool update = false) => SendAsync(
        HttpMethod.Put,
        path,
        $"""<entry xmlns="{Atom}"><content type="application/xml">"""
        + $"""<QueueDescription xmlns="{ServiceBus}">{properties}</QueueDescription></content></entry>""",
        update);

    private async Task<(HttpStatusCode Status, XElement Body)> SendAsync(HttpMethod method, string path, string? body, bool update = false)
    {
        using var request = new HttpRequestMessage(method, path);
        if (body is not null)
            request.Content = new StringContent(body, Encoding.UTF8, "application/atom+xml");
        if (update)
            request.Headers.TryAddWithoutValidation("If-Match", "*");
        using var response = await _http.SendAsync(request, Cancel);
        return (response.StatusCode, XElement.Parse(await response.Content.ReadAsStringAsync(Cancel)));
    }

    private static void Refused(HttpStatusCode expected, string detail, (HttpStatusCode Status, XElement Body) answer)
    {
        Assert.Equal(expected, answer.Status);
        Assert.Equal($"{(int)expected}", answer.Body.Element("Code")?.Value);
        Assert.Contains(detail, answer.Body.Element("Detail")?.Value, StringComparison.OrdinalIgnoreCase);
    }

    private static XElement Description(XElement entry) => entry.Element(Atom + "content")!.Element(ServiceBus + "QueueDescription")!;

    private static string? Property(XElement entry, string name) => Description(entry).Element(ServiceBus + name)?.Value;
}
