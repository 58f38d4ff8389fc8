using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class CallerTests
{
    private const string Requests = "/api/deliveryrequests",
        Order1 = $"{Requests}/order-1";
    private const string Change = """{"deadline":"2030-02-01T08:00:00Z"}""";

    [Theory]
    [InlineData("sub")]
    [InlineData("tenant")]
    public async Task Token_with_the_owner_claim_grants_access_to_the_whole_API(string claim)
    {
        await using var ingestion = await StartAsync(
            Tokens.Of("somebody", (claim, "owner-1")),
            new() { ["Authentication:OwnerClaim"] = claim }
        );
        ingestion.Backends.Statuses["order-1"] = StatusOf("owner-1");

        Assert.Equal(
            [HttpStatusCode.Accepted, HttpStatusCode.OK, HttpStatusCode.Accepted, HttpStatusCode.Accepted],
            (await AllAsync(ingestion)).Select(response => response.StatusCode)
        );
    }

    [Fact]
    public async Task Whole_API_requires_a_valid_token()
    {
        await using var ingestion = await StartAsync(token: null);
        foreach (
            var (what, token) in new[]
            {
                ("none", null),
                ("no token", "no-token"),
                ("another key", Tokens.OfAnotherKey("owner-1")),
                ("no signature", Tokens.Of("owner-1", null, [])),
                ("another issuer", Tokens.Of("owner-1", ("iss", "somebody"))),
                ("another audience", Tokens.Of("owner-1", ("aud", "another-api"))),
                ("no audience", Tokens.Of("owner-1", ("aud", null))),
                ("out of date", Tokens.Of("owner-1", ("nbf", 1_000_000_000), ("exp", 1_000_003_600))),
                ("without an end", Tokens.Of("owner-1", ("exp", null))),
            }
        )
        {
            ingestion.Http.DefaultRequestHeaders.Authorization = token is null ? null : new("Bearer", token);
            foreach (var response in await AllAsync(ingestion))
            {
                Assert.True(response.StatusCode == HttpStatusCode.Unauthorized, $"{what}: {response.StatusCode}");
                await response.ReadProblemAsync(HttpStatusCode.Unauthorized);
                Assert.Contains(response.Headers.WwwAuthenticate, challenge => challenge.Scheme == "Bearer");
            }
        }
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
        Assert.Empty(ingestion.Backends.Calls);
    }

    [Fact]
    public async Task Request_for_another_owner_or_none_is_forbidden()
    {
        await using var ingestion = await StartAsync(Tokens.Of("owner-2"));

        using var response = await ingestion.Http.PostAsync(Requests, SampleRequests.Delivery("order-1"));

        var problem = await response.ReadProblemAsync(HttpStatusCode.Forbidden);
        Assert.Equal("urn:drone-delivery:other-owner", problem.GetProperty("type").GetString());
        Assert.Equal("ownerId", Assert.Single(problem.GetProperty("errors").EnumerateObject()).Name);
        SetToken(ingestion, Tokens.Of("owner-1", ("sub", null)));
        using var ofNobody = await ingestion.Http.PostAsync(Requests, SampleRequests.Delivery("order-1"));
        await ofNobody.ReadProblemAsync(HttpStatusCode.Forbidden);
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("GET", "owner-1")]
    [InlineData("PATCH", "owner-1")]
    [InlineData("DELETE", "owner-1")]
    [InlineData("GET", null)] // From an older Delivery service, whose status has no owner.
    [InlineData("DELETE", null)]
    public async Task Delivery_of_another_owner_is_not_found(string method, string? owner)
    {
        await using var ingestion = await StartAsync(Tokens.Of("owner-2"));
        ingestion.Backends.Statuses["order-1"] = StatusOf(owner);

        using var response = await ingestion.Http.SendAsync(new(method), Order1, method == "PATCH" ? Change : null);
        using var unknown = await ingestion.Http.SendAsync(
            new(method),
            $"{Requests}/order-9",
            method == "PATCH" ? Change : null
        );

        var (theirs, nobodys) = (
            await response.ReadProblemAsync(HttpStatusCode.NotFound),
            await unknown.ReadProblemAsync(HttpStatusCode.NotFound)
        );
        // Not even the text distinguishes an existing id from an unknown one.
        Assert.Equal(
            nobodys.GetProperty("detail").GetString(),
            theirs.GetProperty("detail").GetString()!.Replace("order-1", "order-9", StringComparison.Ordinal)
        );
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("GET")]
    [InlineData("PATCH")]
    [InlineData("DELETE")]
    public async Task Status_URL_of_a_pending_request_works_only_for_its_owner(string method)
    {
        await using var ingestion = await StartAsync(Tokens.Of("owner-1"));
        using var accepted = await ingestion.Http.PostAsync(Requests, SampleRequests.Delivery("order-1"));
        var location = accepted.Headers.Location!.OriginalString;
        var body = method == "PATCH" ? Change : null;

        using var mine = await ingestion.Http.SendAsync(new(method), location, body);
        SetToken(ingestion, Tokens.Of("owner-2"));
        using var theirs = await ingestion.Http.SendAsync(new(method), location, body);

        await theirs.ReadProblemAsync(HttpStatusCode.NotFound);
        Assert.NotNull(mine.Headers.RetryAfter);
        Assert.Equal(1, ingestion.Queue.Counts.Incoming);
        if (method == "GET")
        {
            Assert.Equal(HttpStatusCode.Accepted, mine.StatusCode);
        }
        else // Its owner is unknown until the delivery is recorded.
        {
            Assert.Contains(
                "not recorded yet",
                $"{await mine.ReadProblemAsync(HttpStatusCode.Conflict)}",
                StringComparison.Ordinal
            );
        }
    }

    [Fact]
    public async Task Tokens_are_validated_with_the_keys_of_the_authority()
    {
        await using var authority = await FakeAuthority.StartAsync();
        authority.Answers = false;
        await using var ingestion = await IngestionUnderTest.StartAsync(authority.Settings);
        using var notReady = await ingestion.Http.SendAsync(HttpMethod.Get, "/health/ready");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, notReady.StatusCode);
        Assert.Contains("authority", await notReady.Content.ReadAsStringAsync(Cancelled), StringComparison.Ordinal);
        authority.Answers = true;
        await ingestion.Http.ReadyAsync();

        async Task<HttpStatusCode> PostAsync(string token)
        {
            SetToken(ingestion, token);
            using var response = await ingestion.Http.PostAsync(Requests, SampleRequests.Delivery("order-1"));
            return response.StatusCode;
        }

        Assert.Equal(HttpStatusCode.Accepted, await PostAsync(authority.TokenOf("owner-1")));
        Assert.Equal(HttpStatusCode.Forbidden, await PostAsync(authority.TokenOf("owner-2")));
        Assert.Equal(
            HttpStatusCode.Unauthorized,
            await PostAsync(authority.TokenOf("owner-1", ("iss", "http://127.0.0.1:1")))
        );
        Assert.Equal(
            HttpStatusCode.Unauthorized,
            await PostAsync(authority.TokenOf("owner-1", ("aud", "another-api")))
        );
        Assert.Equal(HttpStatusCode.Unauthorized, await PostAsync(Tokens.Of("owner-1", ("iss", authority.Address))));
    }

    private static async Task<HttpResponseMessage[]> AllAsync(IngestionUnderTest ingestion) =>
        [
            await ingestion.Http.PostAsync(Requests, SampleRequests.Delivery("order-1")),
            await ingestion.Http.SendAsync(HttpMethod.Get, Order1),
            await ingestion.Http.SendAsync(HttpMethod.Patch, Order1, Change),
            await ingestion.Http.SendAsync(HttpMethod.Delete, Order1),
        ];

    private static async Task<IngestionUnderTest> StartAsync(
        string? token,
        Dictionary<string, string?>? settings = null
    )
    {
        var ingestion = await IngestionUnderTest.StartAsync(Tokens.Settings.And(settings ?? []));
        if (token is not null)
            SetToken(ingestion, token);
        return ingestion;
    }

    private static void SetToken(IngestionUnderTest ingestion, string token) =>
        ingestion.Http.DefaultRequestHeaders.Authorization = new("Bearer", token);

    private static DeliveryStatus StatusOf(string? owner) =>
        new()
        {
            DeliveryId = "order-1",
            OwnerId = owner,
            Stage = DeliveryStage.Created,
            Events = [],
        };
}
