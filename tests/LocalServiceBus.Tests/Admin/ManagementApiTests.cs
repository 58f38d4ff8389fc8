using System.Net;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Admin;

public sealed class ManagementApiTests : BrokerTest
{
    private static readonly XNamespace Atom = "http://www.w3.org/2005/Atom";
    private static readonly XNamespace ServiceBus =
        "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

    [Fact]
    public async Task Update_changes_the_given_properties_and_keeps_the_others()
    {
        await PutAsync("orders", "<LockDuration>PT5S</LockDuration><MaxDeliveryCount>3</MaxDeliveryCount>");

        var (status, entry) = await PutAsync(
            "orders",
            "<MaxDeliveryCount>7</MaxDeliveryCount><Status>SendDisabled</Status>",
            update: true
        );

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.Equal("PT5S", Property(entry, "LockDuration"));
        Assert.Equal("7", Property(entry, "MaxDeliveryCount"));
        Assert.Equal(EntityStatus.SendDisabled, _broker.Broker.Entities.Get("orders").Options.Status);
    }

    [Fact]
    public async Task Properties_without_effect_are_accepted_and_returned()
    {
        var (status, entry) = await PutAsync(
            "orders",
            "<EnablePartitioning>false</EnablePartitioning><EnableExpress>False</EnableExpress><AuthorizationRules />"
                + "<SupportOrdering>true</SupportOrdering><EnableBatchedOperations>false</EnableBatchedOperations>"
        );

        Assert.Equal((HttpStatusCode.Created, "false"), (status, Property(entry, "EnableBatchedOperations")));
    }

    [Fact]
    public async Task Forwarding_queue_counts_as_used_until_an_update_removes_it()
    {
        const string Idle = "<AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle>";
        var forwards = (
            await PutAsync("orders", $"<ForwardTo>sb://localhost/delivery-requests</ForwardTo>{Idle}")
        ).Body;
        Assert.Equal("sb://localhost/delivery-requests", Property(forwards, "ForwardTo"));
        Assert.Equal("P10675199DT2H48M5.4775807S", Property(forwards, "AutoDeleteOnIdle"));

        var changed = (await PutAsync("orders", Idle, update: true)).Body;
        Assert.Equal((null, "PT5M"), (Property(changed, "ForwardTo"), Property(changed, "AutoDeleteOnIdle")));
    }

    [Fact]
    public async Task Rule_update_without_a_filter_keeps_the_filter()
    {
        var entities = _broker.Broker.Entities;
        entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic });
        var subscription = entities.Create(QueueOptions.OfSubscription("news", "one")).Subscription!;
        subscription.AddRule(
            new RuleDescription("red") { Filter = FilterKind.Sql, Expression = "color = 'red'" },
            DateTimeOffset.MinValue
        );
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

    [Theory]
    [InlineData("startswith(path, 'de') eq true", "delivery-requests")]
    [InlineData("startswith(path,'DE')", "delivery-requests")]
    [InlineData("startswith(path,'x') eq true", null)]
    public async Task List_filter_matches_the_beginning_of_names(string filter, string? name)
    {
        var list = await _http.GetStringAsync(
            new Uri($"$Resources/queues?$filter={Uri.EscapeDataString(filter)}", UriKind.Relative),
            Cancel
        );

        Assert.Equal(name is not null, list.Contains("delivery-requests</title>", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Unsupported_list_filter_is_rejected()
    {
        var path = $"$Resources/queues?$filter={Uri.EscapeDataString("path eq 'a'")}";

        AssertRejected(HttpStatusCode.BadRequest, "$filter must have", await SendAsync(HttpMethod.Get, path, null));
    }

    [Fact]
    public async Task Body_with_many_levels_is_rejected()
    {
        var levels = string.Concat(Enumerable.Repeat("<a>", 1000)) + string.Concat(Enumerable.Repeat("</a>", 1000));

        AssertRejected(
            HttpStatusCode.BadRequest,
            "more than 32 levels",
            await PutAsync("bad", $"<UserMetadata>{levels}</UserMetadata>")
        );
    }

    [Fact]
    public async Task Documents_have_no_XML_declaration()
    {
        foreach (var path in (string[])["delivery-requests", "$Resources/queues", "$namespaceinfo"])
        {
            var document = await _http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);
            Assert.DoesNotContain("<?xml", document, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("<LockDuration>5 s</LockDuration>", "LockDuration")]
    [InlineData("<MaxDeliveryCount>few</MaxDeliveryCount>", "MaxDeliveryCount")]
    [InlineData("<MaxDeliveryCount>99999999999</MaxDeliveryCount>", "MaxDeliveryCount")]
    [InlineData("<DefaultMessageTimeToLive>P99999999D</DefaultMessageTimeToLive>", "DefaultMessageTimeToLive")]
    [InlineData("<Status>Asleep</Status>", "Status")]
    [InlineData("<RequiresSession>maybe</RequiresSession>", "RequiresSession")]
    [InlineData("<ForwardTo>other</ForwardTo>", "SubCode=40400. ForwardTo of 'bad' refers to 'other'")]
    [InlineData(
        "<ForwardDeadLetteredMessagesTo>other</ForwardDeadLetteredMessagesTo>",
        "SubCode=40400. ForwardDeadLetteredMessagesTo"
    )]
    [InlineData("<ForwardTo>http://localhost/bad</ForwardTo>", "ForwardTo of queue 'bad' must refer to another entity")]
    [InlineData(
        "<MaxMessageSizeInKilobytes>9223372036854775807</MaxMessageSizeInKilobytes>",
        "MaxMessageSizeInKilobytes"
    )]
    [InlineData(
        "<AuthorizationRules><AuthorizationRule>a</AuthorizationRule></AuthorizationRules>",
        "AuthorizationRules: "
    )]
    [InlineData("<Color>red</Color>", "Color: ")]
    public async Task Invalid_description_is_rejected_with_the_elements_name(string element, string name)
    {
        AssertRejected(HttpStatusCode.BadRequest, name, await PutAsync("bad", element));
        Assert.Null(_broker.Broker.Entities.Find("bad"));
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("{}", "")]
    [InlineData("<entry", "")]
    [InlineData("<!DOCTYPE e [<!ENTITY a 'b'>]><entry>&a;</entry>", "")]
    [InlineData("<entry><content><TopicDescription/></content></entry>", "QueueDescription")]
    public async Task Body_without_a_queue_description_is_rejected(string body, string detail) =>
        AssertRejected(HttpStatusCode.BadRequest, detail, await SendAsync(HttpMethod.Put, "bad", body));

    [Fact]
    public async Task Body_over_a_megabyte_is_rejected()
    {
        var (status, _) = await PutAsync("bad", $"<UserMetadata>{new string('x', 1024 * 1024)}</UserMetadata>");

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, status);
    }

    [Theory]
    [InlineData("$Resources/queues?$skip=-1", "$skip")]
    [InlineData("$Resources/queues?$top=all", "$top")]
    public async Task Invalid_paging_parameter_is_rejected(string path, string name) =>
        AssertRejected(HttpStatusCode.BadRequest, name, await SendAsync(HttpMethod.Get, path, null));

    [Fact]
    public async Task Unsupported_verb_returns_405_with_allowed_verbs()
    {
        using var request = new HttpRequestMessage(HttpMethod.Patch, "delivery-requests");
        using var response = await _http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Contains("PUT", response.Content.Headers.Allow);
    }

    private Task<(HttpStatusCode Status, XElement Body)> PutAsync(
        string path,
        string properties,
        bool update = false
    ) =>
        SendAsync(
            HttpMethod.Put,
            path,
            $"""<entry xmlns="{Atom}"><content type="application/xml">"""
                + $"""<QueueDescription xmlns="{ServiceBus}">{properties}</QueueDescription></content></entry>""",
            update
        );

    private async Task<(HttpStatusCode Status, XElement Body)> SendAsync(
        HttpMethod method,
        string path,
        string? body,
        bool update = false
    )
    {
        using var request = new HttpRequestMessage(method, path);
        if (body is not null)
            request.Content = new StringContent(body, Encoding.UTF8, "application/atom+xml");
        if (update)
            request.Headers.TryAddWithoutValidation("If-Match", "*");
        using var response = await _http.SendAsync(request, Cancel);
        return (response.StatusCode, XElement.Parse(await response.Content.ReadAsStringAsync(Cancel)));
    }

    private static void AssertRejected(
        HttpStatusCode expected,
        string detail,
        (HttpStatusCode Status, XElement Body) answer
    )
    {
        Assert.Equal(expected, answer.Status);
        Assert.Equal($"{(int)expected}", answer.Body.Element("Code")?.Value);
        Assert.Contains(detail, answer.Body.Element("Detail")?.Value, StringComparison.OrdinalIgnoreCase);
    }

    private static XElement Description(XElement entry) =>
        entry.Element(Atom + "content")!.Element(ServiceBus + "QueueDescription")!;

    private static string? Property(XElement entry, string name) =>
        Description(entry).Element(ServiceBus + name)?.Value;
}
