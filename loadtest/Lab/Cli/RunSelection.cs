using System.CommandLine;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What is played, or would be: stages, their length and knobs. Typed alike for every verb that has them.</summary>
internal sealed class RunSelection
{
    public Argument<string[]> Stages { get; } = new("stages")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "Ids of stages as `./lab stages` lists them, or all: every stage except the variants. [default: all]",
    };

    public Option<bool> Full { get; } = new("--full") { Description = "Play the full published length instead of an eighth of it." };

    public Option<int> K { get; } = OptionOf.WholeNumber(
        "--k", (int)RunOptions.Quick, 1, 16, "Divide every duration and every stock (messages, prefetch, memory) by N.");

    public Option<string[]> Set { get; } = SharedOptions.Set();

    public Option<string[]> Replicas { get; } = SharedOptions.Replicas();

    public Option<string?> Environment { get; init; } = SharedOptions.Environment("the stage's");

    /// <summary>The open model of the load.</summary>
    public Option<bool> Open { get; } = OptionOf.Flag("--open", "Open model: send requests on time even if answers are late.");

    public Option<string[]> Fault { get; } = OptionOf.Texts(
        "--fault", "FAULT", "Something goes wrong; can be repeated. Times are those of full length; a shortened stage divides them.");

    public Option<int> Seed { get; } = SharedOptions.Seed();

    public Option<int> Ports { get; } = SharedOptions.PortOffset();

    /// <summary>What was typed; a verb need not have all of it.</summary>
    /// <param name="stages">Null: those that were typed.</param>
    public RunArguments Of(ParseResult parsed, string[]? stages = null) => new(
        stages ?? parsed.GetValue(Stages) ?? [],
        new(
            parsed.GetValue(Full) ? 1 : parsed.GetValue(K),
            SharedOptions.Knobs(parsed.GetValue(Set)!, parsed.GetValue(Replicas)!),
            parsed.GetValue(Environment),
            Folder: "",
            new(parsed.GetResult(Ports) is null ? 0 : parsed.GetValue(Ports)),
            parsed.GetResult(Seed) is null ? SharedOptions.DefaultSeed : parsed.GetValue(Seed),
            parsed.GetResult(Open) is not null && parsed.GetValue(Open))
        {
            Faults = parsed.GetResult(Fault) is null ? [] : [.. parsed.GetValue(Fault)!.Select(SimulatedFault.Parse)],
        });
}
