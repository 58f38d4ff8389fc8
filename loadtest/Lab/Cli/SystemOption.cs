using System.CommandLine;
using System.CommandLine.Parsing;
using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>--system</c>: somebody's own system in place of the stages.</summary>
/// <param name="others">Options that mean the same for it.</param>
internal sealed class SystemOption(params string[] others)
{
    private const string Set = "--set";

    public Option<string?> Option { get; } = OptionOf.Text(
        "--system", "FILE",
        "Ask about your own consumers instead of stages: a file as loadtest/systems/schema.json describes it. --set FIELD=VALUE then sets "
            + "a field of the file: orders.replicas=6.");

    /// <returns>Null: it was not typed.</returns>
    /// <exception cref="BadInputException">Something is beside it that is for stages, or the file describes no system.</exception>
    public SystemFile? Read(ParseResult parsed, RunSelection of)
    {
        if (parsed.GetValue(Option) is not { } file)
            return null;
        if (Typed(parsed).FirstOrDefault(name => name is not Set and not "--system" && !others.Contains(name)) is { } other)
            throw new BadInputException($"{other} is for stages: leave it out beside --system.");
        if (parsed.CommandResult.Command.Arguments.Contains(of.Stages) && parsed.GetValue(of.Stages) is { Length: > 0 })
            throw new BadInputException("Either stages or --system: leave one of them out.");
        return SystemText.Load(file, parsed.GetValue(of.Set) ?? []);
    }

    /// <summary>Names of the options that were typed.</summary>
    public static IReadOnlyList<string> Typed(ParseResult parsed) =>
        [.. parsed.CommandResult.Children.OfType<OptionResult>().Where(it => !it.Implicit).Select(it => it.Option.Name)];
}
