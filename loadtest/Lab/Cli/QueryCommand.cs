using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Cli;

internal sealed class QueryCommand : Verb
{
    private const string Table = "table";

    private readonly Argument<string?> _file = OptionOf.Optional(
        "file",
        "A .kql file, the name of one in loadtest/queries, or the query itself; - reads the query from standard input."
    );

    private readonly Option<string?> _text = OptionOf.Text(
        "-e",
        "TEXT",
        "The query itself, even if it could be the name of a file."
    );

    private readonly Option<string?> _run = OptionOf.Text(
        "--run",
        "RUN",
        "Folder of the run, or part of its name. [default: the newest run]"
    );

    private readonly Option<string?> _stage = OptionOf.Text(
        "--stage",
        "ID",
        "Sets `start` and `end` of the query to those of a stage. [default: the whole run]"
    );

    private readonly Option<string> _format = new("--format")
    {
        Description = "Output format.",
        DefaultValueFactory = _ => Table,
    };

    private readonly Option<bool> _workspace = OptionOf.Flag(
        "--workspace",
        "Print the query for a Log Analytics workspace instead of running it."
    );

    public QueryCommand()
        : base("query", "Runs a KQL query on the telemetry of a run.")
    {
        _format.AcceptOnlyFromAmong(Table, "csv", "json");
        Takes(_file, _text, _run, _stage, _format, _workspace);
        HasExamples(
            "query throughput",
            "query throughput --stage 4 --format csv",
            "query -e 'requests | summarize count() by cloud_RoleName, resultCode'",
            "query throughput --workspace"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        if (Get(_workspace))
            RejectOptions("can't be combined with --workspace.", _run, _stage, _format);
        var (text, source) = Asked();
        try
        {
            if (Get(_workspace))
                await Out.Text.WriteLineAsync(WorkspaceForm.Of(text).TrimEnd());
            else
                await AskAsync(KqlQuery.Parse(text, allowPartial: true));
            return ExitCode.Held;
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{source}: {exception.Message}");
        }
    }

    private (string Text, string Source) Asked() =>
        (Get(_file), Get(_text)) switch
        {
            ("-", null) => (Context.OpenIn().ReadToEnd(), "standard input"),
            ({ } query, null) when IsQuery(query) => (query, "query"),
            ({ } name, null) => (QueryFile.Find(name), name),
            (null, { } query) => (query, "query"),
            _ => throw new BadInputException(
                "Specify one query: ./lab query throughput, ./lab query 'requests | count', or - for standard input."
            ),
        };

    private static bool IsQuery(string text) =>
        !File.Exists(text)
        && !text.EndsWith(".kql", StringComparison.Ordinal)
        && text.AsSpan().ContainsAny('|', ' ', '\n');

    private async Task AskAsync(KqlQuery query)
    {
        var folder = RunsOnDisk.Find(Get(_run));
        var telemetry = await RunTelemetry.LoadAsync(folder, Error.WriteLine, Stopping);
        var answer = Get(_stage) is { } stage
            ? telemetry.Ask(query, Find(telemetry, stage, folder), Stopping)
            : telemetry.AskAll(query, DateTimeOffset.MaxValue, cancellationToken: Stopping);
        ResultText.Write(answer, Get(_format), Out);
        if (answer.Partial is { } missing)
            await Error.WriteLineAsync(missing);
        await Error.WriteLineAsync(
            $"{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms; {Path.GetFileName(folder)}"
        );
    }

    private static StageTimes Find(RunTelemetry telemetry, string stage, string folder)
    {
        var stages = telemetry.Stages();
        return stages.LastOrDefault(other => other.Stage == stage)
            ?? throw new BadInputException(
                $"{Path.GetFileName(folder)} has no stage {stage}. "
                    + (
                        stages.Count == 0
                            ? "None of its stages has completed."
                            : Nearest.Hint(stage, stages.Select(other => other.Stage))
                    )
            );
    }
}
