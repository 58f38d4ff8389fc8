using System.CommandLine;
using System.IO.Compression;
using System.Text;
using DroneDelivery.Bench.Delivery;
using DroneDelivery.Bench.Ingestion;

namespace DroneDelivery.Bench.Telemetry;

/// <summary>
/// What telemetry costs: PUTs of new deliveries to three Deliveries that differ in their telemetry alone (off, on, on with calls to Redis),
/// in turn within each repetition: as many as they can take, then 74 a second. Then the collector alone, with what 74 deliveries a second
/// make all five services send. CPU from /proc: Linux only.
/// </summary>
internal static class MeasureTelemetry
{
    // Before that many requests the compiler takes a third of the CPU, and more where there is more code: with telemetry.
    private const int RequestsToCompile = 64_000;

    private const int Connections = 32,
        Rate = 74;
    private static readonly string[] Modes = [DeliveryUnderTest.Off, "on", "on, with Redis"];
    private static int _number;

    public static Command Command()
    {
        var requests = new Option<int>("--requests")
        {
            Description = "requests per measurement",
            DefaultValueFactory = _ => 16_000,
        };
        var seconds = new Option<int>("--seconds")
        {
            Description = $"length of a measurement at {Rate}/s",
            DefaultValueFactory = _ => 5,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command(
            "telemetry",
            "Delivery without telemetry, with it, and with calls to Redis in it; the collector's CPU."
        )
        {
            requests,
            seconds,
            repetitions,
        };
        command.SetAction(
            (parsed, _) =>
                Run(parsed.GetValue(requests) / Connections, parsed.GetValue(seconds), parsed.GetValue(repetitions))
        );
        return command;
    }

    private static async Task Run(int requestsEach, int seconds, int repetitions)
    {
        var folder = Directory.CreateTempSubdirectory("bench-telemetry-").FullName;
        var redisPort = ChildProcess.FreePort();
        await using var redis = StoreOfDeliveries.Start(redisPort);
        await using var store = await StoreOfDeliveries.ConnectAsync(redisPort);
        var (collector, collectorPort) = await CollectorUnderTest.Start(folder);
        await using var stopCollector = collector;
        var services = new List<DeliveryUnderTest>();
        foreach (var mode in Modes)
            services.Add(await DeliveryUnderTest.Start(mode, redisPort, collectorPort));

        foreach (var service in services)
            await Load(service.Port, RequestsToCompile / Connections);
        Console.WriteLine($"{repetitions} repetitions; median (range)");
        for (var repetition = 0; repetition < repetitions; repetition++)
        {
            // Another one begins each time.
            for (var turn = 0; turn < services.Count; turn++)
            {
                var service = services[(repetition + turn) % services.Count];
                await store.EmptyAsync();
                await Load(service.Port, requestsEach / 4);
                await service.Measure(
                    () => Load(service.Port, requestsEach),
                    requestsEach * Connections,
                    service.Saturated,
                    service.SaturatedCpu
                );
            }
        }
        for (var repetition = 0; repetition < repetitions; repetition++)
        {
            foreach (var service in services)
            {
                await service.Measure(
                    () => Pace(service.Port, seconds),
                    seconds * Rate,
                    new Sample(),
                    service.PacedCpu
                );
            }
        }
        foreach (var service in services)
        {
            Console.WriteLine(
                $"{service.Mode, -15} {service.Saturated.Show()} PUT/s, {service.SaturatedCpu.Show("N3")} ms CPU each; "
                    + $"at {Rate}/s {service.PacedCpu.Show("N3")} ms CPU each"
            );
            await service.DisposeAsync();
        }
        var (off, on) = (services[0], services[1]);
        Console.WriteLine(
            $"on / off        {on.Saturated.Over(off.Saturated).Show("P0")} of the PUT/s, "
                + $"{on.SaturatedCpu.Over(off.SaturatedCpu).Show("P0")} of the CPU"
        );

        var share = new Sample();
        for (var repetition = 0; repetition < repetitions; repetition++)
            share.Add(await CollectorCpu(collector, collectorPort, seconds));
        Console.WriteLine(
            $"collector       {share.Show("N2")} ms CPU a delivery, "
                + $"{share.Median * Rate / 10:N2} % of a core at {Rate} deliveries/s"
        );
        Directory.Delete(folder, recursive: true);
    }

    /// <returns>Requests per second.</returns>
    private static Task<double> Load(int port, int requestsEach) =>
        HttpLoad.Run(port, () => PutRequest.Next(port), Connections, requestsEach, expectedStatus: 201);

    private static async Task<double> Pace(int port, int seconds)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1.0 / Rate));
        for (var i = 0; i < seconds * Rate; i++)
        {
            await timer.WaitForNextTickAsync();
            await HttpLoad.Run(port, () => PutRequest.Next(port), 1, 1, expectedStatus: 201);
        }
        return Rate;
    }

    // One upload a second and service, as the services do it.
    private static async Task<double> CollectorCpu(ChildProcess collector, int port, int seconds)
    {
        using var http = new HttpClient();
        var delivery = new RecordedDelivery();
        var start = collector.CpuTime();
        for (var second = 0; second < seconds; second++)
        {
            var text = new StringBuilder();
            for (var i = 0; i < Rate; i++)
            {
                delivery.AppendTo(
                    text,
                    Interlocked.Increment(ref _number),
                    DateTimeOffset.UnixEpoch.AddYears(60).AddSeconds(second)
                );
            }

            var lines = text.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
            foreach (var upload in lines.Chunk(lines.Length / 15))
            {
                using var content = new ByteArrayContent(Gzip(string.Join('\n', upload)));
                content.Headers.ContentEncoding.Add("gzip");
                using var response = await http.PostAsync(new Uri($"http://127.0.0.1:{port}/v2/track"), content);
                response.EnsureSuccessStatusCode();
            }
            await Task.Delay(TimeSpan.FromSeconds(1));
        }
        return (collector.CpuTime() - start).TotalMilliseconds / (seconds * Rate);
    }

    private static byte[] Gzip(string text)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
            gzip.Write(Encoding.UTF8.GetBytes(text));
        return packed.ToArray();
    }
}
