using System.CommandLine;
using System.CommandLine.Parsing;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>The options for stages, scale and settings.</summary>
internal sealed class RunSelection
{
    public const int DefaultSeed = 1;

    public Argument<string[]> Stages { get; } =
        OptionOf.Words(
            "stages",
            "IDs of stages (see `./lab stages`), or all for every stage except the variants. [default: all]"
        );

    public Option<bool> Full { get; } = OptionOf.Flag("--full", "Run at full scale instead of 1/8 scale.");

    public Option<int> K { get; } =
        OptionOf.WholeNumber(
            "--k",
            (int)RunOptions.Quick,
            1,
            16,
            "Divide durations and sizes (messages, prefetch, memory) by N."
        );

    public Option<string[]> Set { get; } =
        OptionOf.Texts(
            "--set",
            "KNOB=VALUE",
            "Set a knob. Can be repeated. Values are at full scale; "
                + "a scaled run divides the knobs marked * in `./lab run --help`."
        );

    public Option<string[]> Replicas { get; } =
        OptionOf.Texts(
            "--replicas",
            "SERVICE=N,…",
            "Number of processes: workflow=3,package=2. Short for --set workflow.replicas=3 …"
        );

    public Option<string?> Environment { get; init; } = SharedOptions.Environment("the stage's");

    public Option<bool> Open { get; } =
        OptionOf.Flag("--open", "Open model: send requests on schedule even if responses are late.");

    public Option<string[]> Fault { get; } =
        OptionOf.Texts(
            "--fault",
            "FAULT",
            "Inject a fault. Can be repeated. Times are at full scale; a scaled run divides them."
        );

    public Option<int> Seed { get; } =
        OptionOf.WholeNumber("--seed", DefaultSeed, 0, 1_000_000_000, "Seed of all random numbers.");

    public Option<int> Ports { get; } = SharedOptions.PortOffset();

    /// <param name="stages"><c>null</c> for those on the command line.</param>
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

/// <summary><c>--system</c>: a system file in place of stages.</summary>
/// <param name="others">Options that can be combined with it.</param>
internal sealed class SystemOption(params string[] others)
{
    public Option<string?> Option { get; } =
        OptionOf.Text(
            "--system",
            "FILE",
            "Use your own system instead of stages: a file described by loadtest/systems/schema.json. --set FIELD=VALUE then sets "
                + "a field of the file: orders.replicas=6."
        );

    public SystemFile? Read(ParseResult parsed, RunSelection of)
    {
        if (parsed.GetValue(Option) is not { } file)
            return null;
        var typed = parsed
            .CommandResult.Children.OfType<OptionResult>()
            .Where(result => !result.Implicit)
            .Select(result => result.Option.Name);
        if (typed.FirstOrDefault(name => name is not ("--set" or "--system") && !others.Contains(name)) is { } other)
            throw new BadInputException($"{other} can't be combined with --system.");
        if (parsed.GetValue(of.Stages) is { Length: > 0 })
            throw new BadInputException("Specify either stages or --system, not both.");
        return SystemText.Load(file, parsed.GetValue(of.Set) ?? []);
    }
}
