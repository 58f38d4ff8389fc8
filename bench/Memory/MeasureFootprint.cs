using System.CommandLine;

namespace DroneDelivery.Bench.Memory;

/// <summary>Measures the memory of every process of a running application.</summary>
internal static class MeasureFootprint
{
    public static Command Command()
    {
        var pid = new Option<int>("--pid")
        {
            Description = "process id of `lab up`; includes its children",
            Required = true,
        };
        var command = new Command("footprint", "Memory of every process of a running `./lab up`.") { pid };
        command.SetAction(parsed => Run(parsed.GetValue(pid)));
        return command;
    }

    private static void Run(int root)
    {
        var total = new ProcessMemory();
        foreach (var id in ChildProcess.WithDescendants(root))
        {
            var one = ProcessMemory.Of(id);
            total = new(total.Resident + one.Resident, total.Proportional + one.Proportional);
            var words = File.ReadAllText($"/proc/{id}/cmdline").Split('\0', StringSplitOptions.RemoveEmptyEntries);
            Console.WriteLine($"{id, 8} {one}  {string.Join(' ', words.Take(3).Select(Path.GetFileName))}");
        }
        Console.WriteLine($"{"total", 8} {total}");
    }
}
