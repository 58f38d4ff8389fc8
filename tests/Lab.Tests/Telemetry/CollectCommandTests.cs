using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class CollectCommandTests
{
    [Fact]
    public async Task Collected_telemetry_survives_SIGTERM_and_can_be_queried()
    {
        await using var lab = new LabProcess();
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        using var http = Loopback.CreateClient();
        var folder = Path.Combine(lab.Artifacts, "collected");
        var (process, connection) = await lab.LaunchAsync(
            "collect",
            "--port",
            "0",
            "--all-interfaces",
            "--folder",
            folder,
            $"--broker={broker.Broker.Address}"
        );
        var endpoint = connection
            .Split(';')
            .Single(part => part.StartsWith("IngestionEndpoint=", StringComparison.Ordinal));
        var address = new Uri(endpoint["IngestionEndpoint=".Length..]);

        foreach (var probe in (string[])["health/live", "health/ready"])
            Assert.Equal(HttpStatusCode.OK, (await http.GetAsync(new Uri(address, probe), Cancel)).StatusCode);
        Assert.Contains("<title>Live", await http.GetStringAsync(address, Cancel), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await UploadAsync(http, address)).StatusCode);
        await QueueIsSampledAsync(http, address);
        Signals.Terminate(process.Id);
        await process.WaitForExitAsync(Cancel);

        Assert.Equal(0, process.ExitCode);
        var names = await LabInMemory.InvokeAsync(
            "query",
            "--run",
            folder,
            "--format",
            "csv",
            "-e",
            "requests | project cloud_RoleName, name"
        );
        Assert.Contains("workflow", names.Output, StringComparison.Ordinal);
        var queues = await LabInMemory.InvokeAsync(
            "query",
            "--run",
            folder,
            "--format",
            "csv",
            "-e",
            "queueSamples | distinct queue"
        );
        Assert.Contains("delivery-requests", queues.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Collector_keeps_earlier_telemetry_and_serves_the_whole_file()
    {
        await using var lab = new LabProcess();
        using var http = Loopback.CreateClient();
        var folder = Path.Combine(lab.Artifacts, "collected");
        var copy = Directory.CreateDirectory(Path.Combine(lab.Artifacts, "copy")).FullName;
        for (var start = 1; start <= 2; start++)
        {
            await using var collector = await TelemetryCollector.StartAsync(
                folder,
                0,
                TimeProvider.System,
                Cancel,
                ofOthers: true
            );
            await UploadAsync(http, collector.Address);
            await File.WriteAllBytesAsync(
                Path.Combine(copy, TelemetryCollector.FileName),
                await http.GetByteArrayAsync(new Uri(collector.Address, TelemetryCollector.FileName), Cancel),
                Cancel
            );

            var telemetry = await RunTelemetry.LoadAsync(copy, _ => { }, Cancel);
            var counted = telemetry.AskAll(
                KqlQuery.Parse("requests | count"),
                DateTimeOffset.MaxValue,
                cancellationToken: Cancel
            );
            Assert.Equal((long)start, Assert.Single(counted.Column("Count")));
        }
    }

    [Fact]
    public async Task Full_disk_makes_the_collector_unready_but_not_dead()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "/dev/full is of Linux: a full disk was not tried.");
        using var folder = new OwnFolder();
        File.CreateSymbolicLink(Path.Combine(folder.Path, TelemetryCollector.FileName), "/dev/full");
        using var http = Loopback.CreateClient();
        await using var collector = await TelemetryCollector.StartAsync(
            folder.Path,
            0,
            TimeProvider.System,
            Cancel,
            ofOthers: true
        );
        await UploadAsync(http, collector.Address);
        await UntilAsync(() => collector.Store.FileFailure is not null);

        Assert.Equal(
            HttpStatusCode.ServiceUnavailable,
            (await http.GetAsync(new Uri(collector.Address, "health/ready"), Cancel)).StatusCode
        );
        Assert.Equal(
            HttpStatusCode.OK,
            (await http.GetAsync(new Uri(collector.Address, "health/live"), Cancel)).StatusCode
        );
    }

    [Fact]
    public async Task Remote_services_send_to_a_host_name_that_the_page_rejects()
    {
        using var folder = new OwnFolder();
        using var http = Loopback.CreateClient();
        http.DefaultRequestHeaders.Host = "telemetry:5080";
        await using var collector = await TelemetryCollector.StartAsync(
            folder.Path,
            0,
            TimeProvider.System,
            Cancel,
            (app, store) => app.MapLivePage(store, new(), TimeProvider.System),
            ofOthers: true
        );

        Assert.Equal(HttpStatusCode.OK, (await UploadAsync(http, collector.Address)).StatusCode);
        Assert.Equal(HttpStatusCode.Forbidden, (await http.GetAsync(collector.Address, Cancel)).StatusCode);
    }

    private static async Task QueueIsSampledAsync(HttpClient http, Uri collector) =>
        await UntilAsync(
            async () =>
            {
                using var answer = await http.PostAsync(
                    new Uri(collector, "query"),
                    new StringContent("queueSamples | distinct queue"),
                    Cancel
                );
                return await answer.Content.ReadAsStringAsync(Cancel);
            },
            queues => queues.Contains("delivery-requests", StringComparison.Ordinal)
        );

    private static async Task<HttpResponseMessage> UploadAsync(HttpClient http, Uri collector)
    {
        using var item = new StringContent(
            $$"""
            {"time":"2026-01-01T00:00:00Z","iKey":"{{TelemetryCollector.SharedKey}}","name":"Request",
            "tags":{"ai.cloud.role":"workflow"},
             "data":{"baseType":"RequestData",
            "baseData":{"ver":2,"id":"1","name":"PUT","duration":"00:00:00.1","responseCode":"200","success":true} } }
            """.ReplaceLineEndings(""),
            Encoding.UTF8,
            "application/json"
        );
        return await http.PostAsync(new Uri(collector, "v2/track"), item, Cancel);
    }
}
