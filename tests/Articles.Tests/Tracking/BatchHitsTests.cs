using System.Net;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Articles.Tests.Tracking;

public sealed class BatchHitsTests
{
    private static readonly Dictionary<string, string?> Never = new() { ["Tracking:FlushInterval"] = "00:01:00" };

    [Fact]
    public async Task Hundred_longest_hits_fit_into_one_request()
    {
        await using var tracking = await TrackingUnderTest.StartAsync("Batch", Never);
        var (table, account) = (new string('t', 63), new string('€', 512));
        var cookie = Uri.EscapeDataString(new string('€', 256));

        for (var i = 0; i < 100; i++)
            (await tracking.HitAsync(table, account, cookie)).Dispose();
        await tracking.StopServiceAsync();

        Assert.Equal(100, await tracking.CountAsync(table));
    }

    [Fact]
    public async Task Hit_is_rejected_when_the_buffer_is_full()
    {
        await using var tracking = await TrackingUnderTest.StartAsync(
            "Batch",
            new() { ["Tracking:Capacity"] = "10", ["Tracking:RoomTimeout"] = "00:00:00.050" }
        );
        await tracking.Azurite.StopAsync();

        var answers = new List<HttpStatusCode>();
        for (var i = 0; i < 12; i++)
        {
            using var response = await tracking.HitAsync("hits", "user");
            answers.Add(response.StatusCode);
            if (i == 11)
                await response.ReadUnavailableAsync("hits-waiting");
        }
        Assert.Equal(10, answers.Count(status => status == HttpStatusCode.OK));
        Assert.Equal(new HitCounts(Answered: 10, Stored: 0, Lost: 0, Waiting: 10), await tracking.CountersAsync());

        await tracking.Azurite.StartServerAsync();
        await Eventually.TrueAsync(async () => (await tracking.CountersAsync()).Stored == 10);
        Assert.Equal(10, await tracking.CountAsync("hits"));
    }

    [Fact]
    public async Task Hit_waits_for_space_in_the_buffer()
    {
        await using var tracking = await TrackingUnderTest.StartAsync(
            "Batch",
            new()
            {
                ["Tracking:Capacity"] = "1",
                ["Tracking:RoomTimeout"] = "00:01:00",
                ["Tracking:FlushInterval"] = "00:00:00.020",
            }
        );

        await Task.WhenAll(
            Enumerable
                .Range(0, 10)
                .Select(async i =>
                {
                    using var response = await tracking.HitAsync("hits", $"user{i}");
                    Assert.Equal(HttpStatusCode.OK, response.StatusCode);
                })
        );
        await Eventually.TrueAsync(async () => (await tracking.CountersAsync()).Stored == 10);
    }

    [Fact]
    public Task SIGTERM_loses_no_hit() => EndUnderLoadAsync(isKilled: false, Never, mayBeLost: 0);

    [Fact]
    [Trait("tier", "nightly")]
    public Task Kill_loses_no_more_hits_than_the_capacity() =>
        EndUnderLoadAsync(isKilled: true, new() { ["Tracking:Capacity"] = "50" }, mayBeLost: 50);

    [Fact]
    public async Task Hits_lost_at_shutdown_are_counted_in_the_log()
    {
        await using var tracking = await TrackingUnderTest.StartAsync(
            "Batch",
            Never.And("shutdownTimeoutSeconds", "1")
        );
        for (var i = 0; i < 3; i++)
            (await tracking.HitAsync("hits", "user")).Dispose();
        await tracking.Azurite.StopAsync();

        await tracking.StopServiceAsync();

        tracking.Logs.AssertContains("3 hits are lost");
    }

    private static async Task EndUnderLoadAsync(bool isKilled, Dictionary<string, string?> settings, int mayBeLost)
    {
        Assert.SkipUnless(AzuriteFixture.IsInstalled, AzuriteFixture.HowToInstall);
        await using var azurite = await AzuriteFixture.StartAsync();
        await using var service = ServiceProcess.Start(
            "Tracking",
            TrackingUnderTest.Settings(azurite, settings.And("Tracking:Writer", "Batch"))
        );
        await service.ReadyAsync();
        var load = new HitsUnderWay(service.Address);

        await load.AnsweredAsync(500);
        await (isKilled ? service.KillAsync() : service.StopAsync());
        var lost = await load.EndAsync() - await TrackingUnderTest.CountAsync(azurite, "hits");

        // Negative if a hit was stored but its response was lost, as when the process is killed.
        Assert.InRange(lost, isKilled ? -HitsUnderWay.Clients : 0, mayBeLost);
        Assert.Equal(isKilled, await service.ExitCodeAsync() != 0);
    }
}
