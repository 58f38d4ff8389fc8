using System.CommandLine;
using System.Globalization;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Commands;

internal sealed record QueryArguments
{
    /// <summary>A file, the name of one, or the query itself; <c>-</c>: what is typed.</summary>
    public string? File { get; init; }

    /// <summary>The query itself.</summary>
    public string? Text { get; init; }

    /// <summary>Folder of the run, or a part of its name; null: the newest.</summary>
    public string? Run { get; init; }

    /// <summary>Null: the whole run.</summary>
    public string? Stage { get; init; }

    /// <summary>table, csv or json.</summary>
    public string Format { get; init; } = QueryCommand.Table;

    /// <summary>Whether the query is only written down as Log Analytics takes it.</summary>
    public bool ForWorkspace { get; init; }
}

/// <summary><c>lab query</c>: asks the telemetry of a run.</summary>
internal sealed class QueryCommand : Verb<QueryArguments>
{
    public const string Table = "table";

    private readonly Argument<string?> _file = new("file")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "A .kql file, the name of one in loadtest/queries, or the query itself; - reads the query from standard input.",
    };

    private readonly Option<string?> _text = new("-e")
    {
        HelpName = "TEXT",
        Description = "The query itself, even if it could be the name of a file.",
    };

    private readonly Option<string?> _run = new("--run")
    {
        HelpName = "RUN",
        Description = "Folder of the run, or a part of its name. [default: the newest]",
    };

    private readonly Option<string?> _stage = new("--stage")
    {
        HelpName = "ID",
        Description = "Sets `start` and `end` of the query to those of a stage. [default: the whole run]",
    };

    private readonly Option<string> _format = new("--format")
    {
        Description = "How rows are printed.",
        DefaultValueFactory = _ => Table,
    };

    private readonly Option<bool> _workspace = new("--workspace")
    {
        Description = "Prints the query in the form for a Log Analytics workspace, and does not run it.",
    };

    public QueryCommand()
        : base("query", "Runs a KQL query on the telemetry of a run.")
    {
        _format.AcceptOnlyFromAmong(Table, "csv", "json");
        Takes(_file, _text, _run, _stage, _format, _workspace);
        HasExamples(
            "query throughput",
            "query throughput --stage 4 --format csv",
            "query -e 'requests | summarize count() by cloud_RoleName, resultCode'",
            "query throughput --workspace");
    }

    protected override QueryArguments Read(ParseResult parsed) => new()
    {
        File = parsed.GetValue(_file),
        Text = parsed.GetValue(_text),
        Run = parsed.GetValue(_run),
        Stage = parsed.GetValue(_stage),
        Format = parsed.GetValue(_format)!,
        ForWorkspace = parsed.GetValue(_workspace),
    };

    public override async Task<ExitCode> RunAsync(QueryArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var (text, source) = Asked(arguments, context);
        try
        {
            if (arguments.ForWorkspace)
                await context.Out.Text.WriteLineAsync(WorkspaceForm.Of(text).TrimEnd());
            else
                await AskAsync(QueryFile.Parse(text, source), arguments, context, cancellationToken);
            return ExitCode.Held;
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{source}: {exception.Message}");
        }
    }

    private static (string Text, string Source) Asked(QueryArguments arguments, LabContext context) =>
        (arguments.File, arguments.Text) switch
        {
            ("-", null) => (context.OpenIn().ReadToEnd(), "standard input"),
            ({ } query, null) when IsQuery(query) => (query, "query"),
            ({ } name, null) => (QueryFile.Find(name), name),
            (null, { } query) => (query, "query"),
            _ => throw new BadInputException(
                "Give one query: ./lab query throughput, ./lab query 'requests | count', or - for standard input."),
        };

    private static bool IsQuery(string text) =>
        !File.Exists(text) && !text.EndsWith(".kql", StringComparison.Ordinal) && text.AsSpan().ContainsAny('|', ' ', '\n');

    private static async Task AskAsync(KqlQuery query, QueryArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var folder = RunsOnDisk.Find(arguments.Run);
        var telemetry = await RunTelemetry.LoadAsync(folder, context.Error.Text.WriteLine, cancellationToken);
        var answer = arguments.Stage is { } stage
            ? telemetry.Ask(query, Find(telemetry, stage, folder), cancellationToken)
            : telemetry.AskAll(query, DateTimeOffset.MaxValue, cancellationToken: cancellationToken);
        AnswerText.Write(answer, arguments.Format, context.Out);
        await context.Error.Text.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms; {Path.GetFileName(folder)}"));
    }

    private static StageTimes Find(RunTelemetry telemetry, string stage, string folder)
    {
        var stages = telemetry.Stages();
        return stages.LastOrDefault(it => it.Stage == stage)
            ?? throw new BadInputException($"{Path.GetFileName(folder)} has no stage {stage}. "
                + (stages.Count == 0
                    ? "No stage of it has ended."
                    : $"There are: {string.Join(", ", stages.Select(it => it.Stage))}."));
    }
}
