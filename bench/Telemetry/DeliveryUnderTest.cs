namespace DroneDelivery.Bench.Telemetry;

/// <summary>A Delivery with one setting of its telemetry, and what was measured of it.</summary>
internal sealed record DeliveryUnderTest(string Mode, int Port, ChildProcess Process) : IAsyncDisposable
{
    public const string Off = "off";

    /// <summary>Requests per second.</summary>
    public Sample Saturated { get; } = new();

    /// <summary>Milliseconds of CPU a request, of this process alone.</summary>
    public Sample SaturatedCpu { get; } = new();

    /// <summary>The same at a fixed rate.</summary>
    public Sample PacedCpu { get; } = new();

    public static async Task<DeliveryUnderTest> Start(string mode, int redisPort, int collectorPort)
    {
        var port = ChildProcess.FreePort();
        var settings = ServiceSettings.With(
            ("ASPNETCORE_URLS", $"http://127.0.0.1:{port}"),
            ("Redis__ConnectionString", $"127.0.0.1:{redisPort}")
        );
        if (mode != Off)
        {
            settings["APPLICATIONINSIGHTS_CONNECTION_STRING"] =
                $"InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=http://127.0.0.1:{collectorPort}/";
            // A queue that drops spans would make them cheaper.
            settings["OTEL_BSP_MAX_QUEUE_SIZE"] = "65536";
            settings["OTEL_BSP_SCHEDULE_DELAY"] = "1000";
            settings["APPLICATIONINSIGHTS_STATSBEAT_DISABLED"] = "true";
        }
        if (mode.Contains("Redis", StringComparison.Ordinal))
            settings["Telemetry__TrackRedis"] = "true";
        var process = ChildProcess.StartOwn("Delivery", [], settings);
        await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(30));
        return new(mode, port, process);
    }

    public async Task Measure(Func<Task<double>> load, int requests, Sample rate, Sample cpu)
    {
        var before = Process.CpuTime();
        rate.Add(await load());
        if (Mode != Off)
            await Task.Delay(TimeSpan.FromSeconds(1.5)); // the last telemetry leaves a second later, and belongs to the cost
        cpu.Add((Process.CpuTime() - before).TotalMilliseconds / requests);
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();
}
