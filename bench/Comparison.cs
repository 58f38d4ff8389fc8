using System.CommandLine;

namespace DroneDelivery.Bench;

/// <summary>Compares servers: options, processes and report.</summary>
internal sealed class Comparison : IAsyncDisposable
{
    private readonly Stack<IAsyncDisposable> _owned = [];

    /// <summary>The number of requests or messages per measurement.</summary>
    public required int Count { get; init; }

    public required int Repetitions { get; init; }

    public required FileInfo? OtherBuild { get; init; }

    public static Command Command(
        string name,
        string description,
        Func<Comparison, ParseResult, Task> run,
        int defaultCount = 32_000,
        params Option[] more
    )
    {
        var count = new Option<int>("--requests", "--messages")
        {
            Description = "requests or messages per measurement",
            DefaultValueFactory = _ => defaultCount,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var baseline = new Option<FileInfo?>("--baseline")
        {
            Description = "also measure the DLL of another build, to see the cost of a change",
        };
        var command = new Command(name, description) { count, repetitions, baseline };
        foreach (var option in more)
            command.Add(option);
        command.SetAction(
            async (parsed, _) =>
            {
                await using var comparison = new Comparison
                {
                    Count = parsed.GetValue(count),
                    Repetitions = parsed.GetValue(repetitions),
                    OtherBuild = parsed.GetValue(baseline),
                };
                await run(comparison, parsed);
            }
        );
        return command;
    }

    /// <summary>Returns the program of a project in this build, and in the build of <c>--baseline</c>.</summary>
    public IEnumerable<(string Name, string Program)> Builds(string project)
    {
        yield return (project, ChildProcess.OwnProgram(project));
        if (OtherBuild is not null)
            yield return ($"{project}, other build", OtherBuild.FullName);
    }

    /// <summary>Registers a resource, which is disposed in reverse order at the end.</summary>
    public T Own<T>(T resource)
        where T : IAsyncDisposable
    {
        _owned.Push(resource);
        return resource;
    }

    /// <summary>Starts one of our web servers and waits until it listens.</summary>
    public async Task<Server> StartAsync(
        string program,
        IEnumerable<string> arguments,
        params IEnumerable<(string Name, string Value)> settings
    )
    {
        var port = ChildProcess.FreePort();
        var process = ChildProcess.StartDotnet(
            [program, .. arguments],
            [("ASPNETCORE_URLS", $"http://127.0.0.1:{port}"), .. settings]
        );
        Own(process);
        await ChildProcess.UntilReachable(port);
        return new(port, process);
    }

    /// <summary>Measures and prints all contenders, and compares the first with the others.</summary>
    public async Task RunAsync(string title, IReadOnlyList<Contender> all, int? count = null)
    {
        await Contender.MeasureAsync(all, count ?? Count, Repetitions);
        Console.WriteLine($"{title}: {count ?? Count:N0} per measurement, {Repetitions} repetitions; median (range)");
        foreach (var one in all)
            Console.WriteLine($"  {one.Show()}");
        foreach (var other in all.Skip(1))
            Console.WriteLine($"  {all[0].Name} / {other.Name}: {all[0].Rate.Over(other.Rate).Show("P0")}");
    }

    public async ValueTask DisposeAsync()
    {
        while (_owned.TryPop(out var resource))
            await resource.DisposeAsync();
    }
}

internal sealed record Server(int Port, ChildProcess Process);
