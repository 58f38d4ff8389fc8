using System.CommandLine;
using System.CommandLine.Parsing;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What is played, or would be: stages, their length and knobs. Typed alike for every verb that has them.</summary>
internal sealed class RunSelection
{
    public const int DefaultSeed = 1;

    public Argument<string[]> Stages { get; } =
        OptionOf.Words(
            "stages",
            "Ids of stages as `./lab stages` lists them, or all: every stage except the variants. [default: all]"
        );

    public Option<bool> Full { get; } =
        OptionOf.Flag("--full", "Play the full published length instead of an eighth of it.");

    public Option<int> K { get; } =
        OptionOf.WholeNumber(
            "--k",
            (int)RunOptions.Quick,
            1,
            16,
            "Divide every duration and every stock (messages, prefetch, memory) by N."
        );

    public Option<string[]> Set { get; } =
        OptionOf.Texts(
            "--set",
            "KNOB=VALUE",
            "Set a knob. Can be repeated. Give the value for the full length; "
                + "a shortened run divides the knobs marked * in `./lab run --help`."
        );

    public Option<string[]> Replicas { get; } =
        OptionOf.Texts(
            "--replicas",
            "SERVICE=N,…",
            "Number of processes: workflow=3,package=2. Short for --set workflow.replicas=3 …"
        );

    public Option<string?> Environment { get; init; } = SharedOptions.Environment("the stage's");

    public Option<bool> Open { get; } =
        OptionOf.Flag("--open", "Open model: send requests on time even if answers are late.");

    public Option<string[]> Fault { get; } =
        OptionOf.Texts(
            "--fault",
            "FAULT",
            "Something goes wrong; can be repeated. Times are those of full length; a shortened stage divides them."
        );

    public Option<int> Seed { get; } =
        OptionOf.WholeNumber("--seed", DefaultSeed, 0, 1_000_000_000, "Seed of all random numbers.");

    public Option<int> Ports { get; } = SharedOptions.PortOffset();

    /// <summary>What was typed; a verb need not have all of it.</summary>
    /// <param name="stages">Null: those that were typed.</param>
    public RunArguments Of(ParseResult parsed, string[]? stages = null) =>
        new(
            stages ?? parsed.GetValue(Stages) ?? [],
            new(
                parsed.GetValue(Full) ? 1 : parsed.GetValue(K),
                Knobs(parsed.GetValue(Set)!, parsed.GetValue(Replicas)!),
                parsed.GetValue(Environment),
                Folder: "",
                new(parsed.GetValue(Ports)),
                parsed.GetResult(Seed) is null ? DefaultSeed : parsed.GetValue(Seed),
                parsed.GetValue(Open)
            )
            {
                Faults = [.. (parsed.GetValue(Fault) ?? []).Select(StageFault.Parse)],
            }
        );

    public static KnobSet Knobs(IReadOnlyList<string> set, IReadOnlyList<string> replicas) =>
        KnobSet
            .Parse(set)
            .With(
                KnobSet.Parse(
                    replicas
                        .SelectMany(list => list.Split(','))
                        .Select(pair => pair.Replace("=", ".replicas=", StringComparison.Ordinal))
                )
            );
}

/// <summary><c>--system</c>: somebody's own system in place of the stages.</summary>
/// <param name="others">Options that mean the same for it.</param>
internal sealed class SystemOption(params string[] others)
{
    public Option<string?> Option { get; } =
        OptionOf.Text(
            "--system",
            "FILE",
            "Ask about your own consumers instead of stages: a file as loadtest/systems/schema.json describes it. --set FIELD=VALUE then sets "
                + "a field of the file: orders.replicas=6."
        );

    public SystemFile? Read(ParseResult parsed, RunSelection of)
    {
        if (parsed.GetValue(Option) is not { } file)
            return null;
        var typed = parsed
            .CommandResult.Children.OfType<OptionResult>()
            .Where(it => !it.Implicit)
            .Select(it => it.Option.Name);
        if (typed.FirstOrDefault(name => name is not ("--set" or "--system") && !others.Contains(name)) is { } other)
            throw new BadInputException($"{other} can't be combined with --system.");
        if (parsed.GetValue(of.Stages) is { Length: > 0 })
            throw new BadInputException("Either stages or --system: leave one of them out.");
        return SystemText.Load(file, parsed.GetValue(of.Set) ?? []);
    }
}
