using System.Net;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Articles.Tests.Tracking;

public sealed class TrackHitTests
{
    [Fact]
    public async Task Hit_returns_an_uncached_pixel_and_a_cookie_and_is_stored()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();

        using var first = await tracking.HitAsync("customer1", "user1");
        var cookie = Assert.Single(first.Headers.GetValues("Set-Cookie"));
        var id = cookie.Split('=', ';')[1];
        using var second = await tracking.HitAsync("customer1", "user1", id);

        Assert.Equal(HttpStatusCode.OK, first.StatusCode);
        Assert.Equal("image/png", first.Content.Headers.ContentType!.MediaType);
        Assert.True(first.Headers.CacheControl!.NoStore);
        var png = await first.Content.ReadAsByteArrayAsync(Cancelled);
        Assert.Equal([0x89, .. "PNG"u8], png[..4]);
        Assert.Equal((1, 1), (png[19], png[23])); // Width and height.
        Assert.StartsWith("trackingId=", cookie, StringComparison.Ordinal);
        Assert.Contains("httponly", cookie, StringComparison.OrdinalIgnoreCase);
        // The image in an email is a cross-site request, and TLS may end at a proxy.
        Assert.Contains("samesite=none", cookie, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("secure", cookie, StringComparison.OrdinalIgnoreCase);
        Assert.False(second.Headers.Contains("Set-Cookie"));
        Assert.Equal([("user1", id), ("user1", id)], await tracking.StoredAsync("customer1"));
    }

    [Fact]
    public async Task HEAD_does_not_count_as_a_hit()
    {
        await using var service = ServiceHost<Hit>.Start(new() { ["Tracking:Writer"] = "None" });

        using var head = await service.Http.SendAsync(HttpMethod.Head, "/track/customer1?account=u");
        using var hit = await TrackingUnderTest.HitAsync(service.Http, "/track/customer1?account=u");

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.OK), (head.StatusCode, hit.StatusCode));
        Assert.Equal("image/png", head.Content.Headers.ContentType?.MediaType);
        Assert.Equal(1, (await service.Http.GetAsync<HitCounts>("/track/counters")).Answered);
    }

    [Theory]
    [InlineData("/track/ab?account=u", "table")]
    [InlineData("/track/1abc?account=u", "table")]
    [InlineData("/track/tables?account=u", "table")]
    [InlineData("/track/abc%0A?account=u", "table")]
    [InlineData("/track/abc", "account")]
    [InlineData("/track/abc?account=", "account")]
    [InlineData("/track/abc?account=a%2Fb", "account")]
    [InlineData("/track/abc?account=a%3Fb", "account")]
    [InlineData("/track/abc?account=a%C2%85b", "account")]
    [InlineData("/track/abc?account=u", "trackingId", "a%00b")]
    public async Task Value_that_Table_Storage_rejects_is_rejected_by_field(
        string url,
        string field,
        string? cookie = null
    )
    {
        await using var service = ServiceHost<Hit>.Start(new() { ["Tracking:Writer"] = "None" });

        using var response = await TrackingUnderTest.HitAsync(service.Http, url, cookie);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData(64, 1, 1, "table")]
    [InlineData(63, 513, 1, "account")]
    [InlineData(63, 512, 257, "trackingId")]
    public async Task Too_long_value_is_rejected_by_field(int table, int account, int cookie, string field)
    {
        await using var service = ServiceHost<Hit>.Start(new() { ["Tracking:Writer"] = "None" });

        using var response = await TrackingUnderTest.HitAsync(
            service.Http,
            $"/track/{new string('t', table)}?account={new string('a', account)}",
            new string('c', cookie)
        );

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData("Insert")]
    [InlineData("Batch")]
    public async Task Longest_and_most_unusual_values_are_stored(string writer)
    {
        await using var tracking = await TrackingUnderTest.StartAsync(writer);
        var table = new string('t', 63);
        string[] accounts = ["O'Brien", "a%2Fb", "{}", "+ &=", "(x)", "50%", new('€', 512), "😀", "a'b''c"];

        foreach (var account in accounts)
        {
            using (var response = await tracking.HitAsync(table, account, "cookie"))
                Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
        await Eventually.TrueAsync(async () => (await tracking.CountersAsync()).Stored == accounts.Length);

        Assert.Equal(accounts.Order(), (await tracking.StoredAsync(table)).Select(hit => hit.Account).Order());
    }

    [Fact]
    public async Task First_hits_of_a_new_table_are_stored_in_every_spelling()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();

        var statuses = await Task.WhenAll(
            Enumerable
                .Range(0, 60)
                .Select(async i =>
                {
                    using var response = await tracking.HitAsync(i % 2 == 0 ? "newsletter" : "Newsletter", $"user{i}");
                    return response.StatusCode;
                })
        );

        Assert.All(statuses, status => Assert.Equal(HttpStatusCode.OK, status));
        Assert.Equal(60, await tracking.CountAsync("newsletter"));
    }

    [Fact]
    public async Task Tables_are_limited_to_names_or_to_a_number()
    {
        await using var naming = ServiceHost<Hit>.Start(
            new() { ["Tracking:Writer"] = "None", ["Tracking:Tables:0"] = "customer1" }
        );
        using var named = await TrackingUnderTest.HitAsync(naming.Http, "/track/Customer1?account=u");
        using var other = await TrackingUnderTest.HitAsync(naming.Http, "/track/customer2?account=u");
        Assert.Equal(HttpStatusCode.OK, named.StatusCode);
        Assert.Equal(["table"], await other.ReadInvalidFieldsAsync());

        await using var service = ServiceHost<Hit>.Start(
            new() { ["Tracking:Writer"] = "None", ["Tracking:MaxTables"] = "2" }
        );

        foreach (var table in (string[])["first", "second", "FIRST", "second"])
        {
            using (var response = await TrackingUnderTest.HitAsync(service.Http, $"/track/{table}?account=u"))
                Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
        using var third = await TrackingUnderTest.HitAsync(service.Http, "/track/third?account=u");

        Assert.Equal(["table"], await third.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task Unavailable_table_server_returns_503_without_internals()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();
        (await tracking.HitAsync("hits", "user")).Dispose();
        // Each response has its own timeout, which a first connection may exceed on a busy machine.
        await Eventually.TrueAsync(async () => await tracking.Http.CheckAsync("table") == ("Healthy", null));
        await tracking.Azurite.StopAsync();

        using var response = await tracking.HitAsync("hits", "user");

        var problem = await response.ReadUnavailableAsync("table-unavailable");
        Assert.DoesNotContain("127.0.0.1", problem.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("devstoreaccount1", problem.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, (await tracking.CountersAsync()).Answered);
        var (status, description) = await tracking.Http.CheckAsync("table");
        Assert.Equal("Degraded", status);
        Assert.DoesNotContain("127.0.0.1", description, StringComparison.Ordinal);

        await tracking.Azurite.StartServerAsync(); // Without its tables.
        await Eventually.TrueAsync(async () =>
            (await tracking.HitAsync("hits", "user")).StatusCode == HttpStatusCode.OK
        );
        Assert.Equal(1, await tracking.CountAsync("hits"));
    }
}
