using System.CommandLine;
using System.Globalization;

namespace DroneDelivery.Bench.Footprint;

/// <summary>
/// Memory of a running local application (<c>./lab up</c>): proportional set size, which counts a page shared by N processes 1/N times
/// in each. Linux only: /proc/PID/smaps_rollup.
/// </summary>
internal static class MeasureFootprint
{
    public static Command Command()
    {
        var pid = new Option<int>("--pid")
        {
            Description = "process id of `lab up`; its children are counted too",
            Required = true,
        };
        var command = new Command("footprint", "Proportional set size of every process of a running `./lab up`.")
        {
            pid,
        };
        command.SetAction((parsed, _) => Task.FromResult(Run(parsed.GetValue(pid))));
        return command;
    }

    private static int Run(int root)
    {
        var total = 0L;
        foreach (var id in ProcessTree.WithDescendants(root))
        {
            var kilobytes = ProportionalSetSize(id);
            total += kilobytes;
            Console.WriteLine($"{id, 8} {kilobytes / 1024.0, 7:N1} MB  {CommandLineOf(id)}");
        }
        Console.WriteLine($"{"total", 8} {total / 1024.0, 7:N1} MB");
        return 0;
    }

    private static long ProportionalSetSize(int id) =>
        File.ReadLines($"/proc/{id}/smaps_rollup")
            .Where(line => line.StartsWith("Pss:", StringComparison.Ordinal))
            .Select(line =>
                long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture)
            )
            .Single();

    private static string CommandLineOf(int id)
    {
        var words = File.ReadAllText($"/proc/{id}/cmdline").Split('\0', StringSplitOptions.RemoveEmptyEntries);
        return string.Join(' ', words.Take(3).Select(Path.GetFileName));
    }
}
