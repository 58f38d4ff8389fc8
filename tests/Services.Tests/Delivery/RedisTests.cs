using System.Net;
using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery;

namespace DroneDelivery.Services.Tests.Delivery;

public sealed class RedisTests
{
    [Theory]
    [InlineData("maxmemory 1mb", "maxmemory 0", "redis-out-of-memory", "maxmemory")]
    [InlineData("min-replicas-to-write 1", "min-replicas-to-write 0", "redis-read-only", "NOREPLICAS")]
    public async Task Redis_that_rejects_writes_returns_503_and_still_serves_reads(
        string broken,
        string whole,
        string type,
        string cause
    )
    {
        await using var service = await DeliveryUnderTest.StartAsync();
        await CreateAsync(service, "before");
        await service.RedisAsync("CONFIG SET maxmemory-policy noeviction");
        await service.RedisAsync($"CONFIG SET {broken}");

        for (var i = 0; i < 3; i++)
        {
            using var response = await service.Http.PutAsync("/api/deliveries/d1", Deliveries.Sample);
            var problem = await response.ReadUnavailableAsync(type);
            Assert.DoesNotContain(cause, problem.ToString(), StringComparison.OrdinalIgnoreCase);
            await service.Http.GetAsync<DeliveryDetails>("/api/deliveries/before");
        }

        Assert.Equal("0", await service.RedisAsync("EXISTS delivery:d1 delivery:d1:events"));
        await service.RedisAsync($"CONFIG SET {whole}");
        await CreateAsync(service, "d1");
        Assert.Single(service.Logs.With("Warning", cause));
        Assert.Single(service.Logs.With("Writing to Redis recovered"));
    }

    [Fact]
    public async Task Redis_outage_returns_503_and_is_logged_once()
    {
        await using var service = await DeliveryUnderTest.StartAsync(new() { ["Redis:OperationTimeout"] = "00:00:05" });
        await CreateAsync(service, "d1");
        await service.Redis.StopAsync();

        for (var i = 0; i < 2; i++)
        {
            using var response = await service.Http.SendAsync(HttpMethod.Get, "/api/deliveries/d1");
            await response.ReadUnavailableAsync("redis-unreachable");
        }
        Assert.Equal("Degraded", (await service.Http.CheckAsync("redis")).Status);

        await service.Redis.StartServerAsync(Cancelled);
        await Eventually.TrueAsync(async () => (await service.Http.CheckAsync("redis")).Status == "Healthy");
        await CreateAsync(service, "d1");
        Assert.Single(service.Logs.With("Warning", "Redis is unavailable"));
    }

    [Fact]
    public async Task Command_may_exceed_the_clients_default_timeout()
    {
        await using var service = await DeliveryUnderTest.StartAsync(new() { ["Redis:OperationTimeout"] = "00:01:00" });
        await CreateAsync(service, "d1");
        await service.RedisAsync("CLIENT PAUSE 7000 ALL");

        await service.Http.GetAsync<DeliveryDetails>("/api/deliveries/d1");
    }

    [Fact]
    public async Task Service_starts_without_Redis_and_logs_how_to_install_it()
    {
        await using var service = ServiceHost<DeliveryStore>.Start(
            new() { ["Redis:ConnectionString"] = "127.0.0.1:1", ["Redis:OperationTimeout"] = "00:00:00.200" }
        );

        using var ready = await service.Http.SendAsync(HttpMethod.Get, "/health/ready");
        using var call = await service.Http.SendAsync(HttpMethod.Get, "/api/deliveries/d1");

        Assert.Equal(HttpStatusCode.OK, await service.Http.StatusAsync("/health/live"));
        var report = await ready.ReadAsync<JsonElement>(HttpStatusCode.ServiceUnavailable);
        Assert.Equal(
            "The delivery store is unavailable.",
            report.GetProperty("checks").GetProperty("redis").GetProperty("description").GetString()
        );
        var problem = await call.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.Equal("The delivery store is unavailable.", problem.GetProperty("detail").GetString());
        foreach (var inside in (string[])["127.0.0.1", "Redis:ConnectionString", "install", "Exception"])
            Assert.DoesNotContain(inside, $"{report} {problem}", StringComparison.OrdinalIgnoreCase);
        var logged = Assert.Single(service.Logs.With("Redis is unavailable"));
        foreach (var inside in (string[])["127.0.0.1:1", "Redis:ConnectionString", "install"])
            Assert.Contains(inside, logged, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("15.00:00:00", 0)]
    [InlineData("15.00:00:00", 24)] // After the landing, the last change counts.
    [InlineData("", 0)]
    [InlineData("00:00:00", 0)]
    public async Task Time_to_live_starts_at_the_landing_or_the_last_change(string timeToLive, int hoursLater)
    {
        await using var service = await DeliveryUnderTest.StartAsync(new() { ["Redis:KeyTimeToLive"] = timeToLive });
        service.Time.Jump(TimeSpan.FromHours(hoursLater));
        await TouchEveryKindOfKeyAsync(service, hoursLater > 0 ? ConfirmationType.Voice : ConfirmationType.None);

        var untilLanding = UntilLanding(service) > TimeSpan.Zero ? UntilLanding(service) : TimeSpan.Zero;
        foreach (var key in AllKeys)
        {
            if (timeToLive == "15.00:00:00")
                await AssertTimeToLiveAsync(service, key, untilLanding + TimeSpan.FromDays(15));
            else
                Assert.Equal("-1", await service.RedisAsync($"TTL {key}"));
        }
        Assert.Equal($"{AllKeys.Length}", await service.RedisAsync("DBSIZE"));
    }

    [Fact]
    public async Task Rescheduled_flight_extends_every_key_of_its_delivery()
    {
        await using var service = await DeliveryUnderTest.StartAsync(new() { ["Redis:KeyTimeToLive"] = "15.00:00:00" });
        await CreateAsync(service, "d1");
        var later = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromDays(7));

        await (
            await service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule { FlightPlan = later })
        ).ReadAsync<DeliveryDetails>();

        foreach (var key in AllKeys.Where(key => !key.EndsWith("confirmation", StringComparison.Ordinal)))
        {
            await AssertTimeToLiveAsync(
                service,
                key,
                UntilLanding(service) + TimeSpan.FromDays(7) + TimeSpan.FromDays(15)
            );
        }
    }

    [Fact]
    public async Task Owners_month_expires_with_its_last_delivery()
    {
        await using var service = await DeliveryUnderTest.StartAsync(new() { ["Redis:KeyTimeToLive"] = "15.00:00:00" });
        var plan = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromDays(20));
        await service.Http.PutAsync(
            "/api/deliveries/late",
            Deliveries.Sample with
            {
                PickupTime = plan.PickupAt,
                FlightPlan = plan,
            }
        );

        await CreateAsync(service, "early");
        using var cancelled = await service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/early");

        Assert.Equal(HttpStatusCode.NoContent, cancelled.StatusCode);
        await AssertTimeToLiveAsync(
            service,
            "owner:owner-1:2030-01",
            UntilLanding(service) + TimeSpan.FromDays(20) + TimeSpan.FromDays(15)
        );

        await service.RedisAsync("PERSIST owner:owner-1:2030-01");
        await CreateAsync(service, "d1");
        Assert.Equal("-1", await service.RedisAsync("TTL owner:owner-1:2030-01"));
    }

    private static readonly string[] AllKeys =
    [
        "delivery:d1",
        "delivery:d1:events",
        "delivery:d1:confirmation",
        "owner:owner-1:2030-01",
    ];

    private static TimeSpan UntilLanding(DeliveryUnderTest service) =>
        Deliveries.Sample.FlightPlan.Landing - service.Time.GetUtcNow();

    private static async Task AssertTimeToLiveAsync(DeliveryUnderTest service, string key, TimeSpan life)
    {
        var left = TimeSpan.FromMilliseconds(long.Parse(await service.RedisAsync($"PTTL {key}"), provider: null));
        Assert.True(left <= life && left > life - TimeSpan.FromMinutes(1), $"{key} expires in {left}, not in {life}.");
    }

    private static async Task TouchEveryKindOfKeyAsync(DeliveryUnderTest service, ConfirmationType confirmationRequired)
    {
        if (Deliveries.Sample.FlightPlan.TakeOff - service.Time.GetUtcNow() is var wait && wait > TimeSpan.Zero)
            service.Time.Advance(wait); // An earlier confirmation is rejected.
        using var created = await service.Http.PutAsync(
            "/api/deliveries/d1",
            Deliveries.Sample with
            {
                ConfirmationRequired = confirmationRequired,
            }
        );
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        await service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule { DroneId = "light-02" });
        using var confirmed = await service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            Deliveries.Confirmation(service.Time.GetUtcNow(), confirmationRequired)
        );
        Assert.Equal(HttpStatusCode.OK, confirmed.StatusCode);
    }

    private static async Task CreateAsync(DeliveryUnderTest service, string id) =>
        await (await service.Http.PutAsync($"/api/deliveries/{id}", Deliveries.Sample)).ReadAsync<DeliveryDetails>(
            HttpStatusCode.Created
        );
}
