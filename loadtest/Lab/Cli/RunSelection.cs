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

    /// <param name="parsed">What was typed.</param>
    /// <param name="stages">Null: those that were typed.</param>
    public RunArguments Of(ParseResult parsed, string[]? stages = null) => new()
    {
        Stages = stages ?? parsed.GetValue(Stages) ?? [],
        IsFull = parsed.GetValue(Full),
        K = parsed.GetValue(K),
        Set = parsed.GetValue(Set)!,
        Replicas = parsed.GetValue(Replicas)!,
        Environment = parsed.GetValue(Environment),
    };
}
