using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.WhatIf;

/// <summary>How long the page with the sliders waits for an answer, over HTTP on the loopback.</summary>
internal static class MeasureWhatIf
{
    private const int Moves = 100,
        Seed = 1;

    public static Command Command()
    {
        var command = new Command(
            "what-if",
            "Time from a moved slider to its answer: 100 random moves from each stage, over HTTP."
        );
        command.SetAction((_, cancellationToken) => RunAsync(cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        await using var server = await WhatIfServer.StartAsync(0, 8, new(0), cancellationToken);
        using var http = new HttpClient { BaseAddress = new UriBuilder(server.Address) { Host = "127.0.0.1" }.Uri };
        var random = new Random(Seed);
        await MoveAsync(http, "1", random, 20, cancellationToken); // warm up
        var all = new List<double>();
        foreach (var stage in Stage.All())
        {
            var times = await MoveAsync(http, stage.Id, random, Moves, cancellationToken);
            all.AddRange(times);
            Console.WriteLine($"stage {stage.Id, -9} {Show(times)}");
        }

        Console.WriteLine($"all stages      {Show(all)}");
        return 0;
    }

    /// <summary>Milliseconds of each move; two sliders stand anywhere. Settings that cannot be do not count.</summary>
    private static async Task<List<double>> MoveAsync(
        HttpClient http,
        string stage,
        Random random,
        int moves,
        CancellationToken cancellationToken
    )
    {
        var times = new List<double>();
        while (times.Count < moves)
        {
            var query = $"stage={stage}&{Anywhere(random)}&{Anywhere(random)}";
            var began = Stopwatch.GetTimestamp();
            using var answer = await http.GetAsync($"/what-if/answer?{query}", cancellationToken);
            await answer.Content.ReadAsByteArrayAsync(cancellationToken);
            if (answer.IsSuccessStatusCode)
                times.Add(Stopwatch.GetElapsedTime(began).TotalMilliseconds);
        }

        return times;
    }

    private static string Anywhere(Random random)
    {
        var slider = Slider.All[random.Next(Slider.All.Count)];
        var value =
            slider.Min + slider.Step * Math.Floor(random.NextDouble() * (slider.Max - slider.Min) / slider.Step);
        return string.Create(CultureInfo.InvariantCulture, $"{slider.Name}={value:0.####}");
    }

    private static string Show(List<double> times)
    {
        var sorted = times.Order().ToList();
        return $"median {At(0.5):N1} ms, 95th percentile {At(0.95):N1} ms, longest {sorted[^1]:N1} ms";

        double At(double share) => sorted[(int)Math.Ceiling(share * sorted.Count) - 1];
    }
}
