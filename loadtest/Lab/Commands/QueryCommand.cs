using System.CommandLine;
using System.Globalization;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab query</c>: asks the telemetry of a run.</summary>
internal static class QueryCommand
{
    public static Command Create()
    {
        var file = new Argument<string?>("file")
        {
            Arity = ArgumentArity.ZeroOrOne,
            Description = "A .kql file, the name of one of loadtest/queries, or the query itself; - reads it from standard input.",
        };
        var text = new Option<string?>("-e") { HelpName = "TEXT", Description = "The query itself, also where it could be a file." };
        var run = new Option<string?>("--run")
        {
            HelpName = "RUN",
            Description = "Folder of the run, or a part of its name. [default: the newest]",
        };
        var stage = new Option<string?>("--stage")
        {
            HelpName = "ID",
            Description = "Sets `start` and `end` of the query to those of a stage. [default: the whole run]",
        };
        var format = new Option<string>("--format") { Description = "How rows are printed.", DefaultValueFactory = _ => "table" };
        format.AcceptOnlyFromAmong("table", "csv", "json");
        var workspace = new Option<bool>("--workspace")
        {
            Description = "Prints the query as it is written in a workspace of Log Analytics, and asks nothing.",
        };
        var command = new Command("query", "Runs a KQL query on the telemetry of a run.")
        {
            file, text, run, stage, format, workspace,
        };
        command.WithExamples(
            "query throughput",
            "query throughput --stage 4 --format csv",
            "query -e 'requests | summarize count() by cloud_RoleName, resultCode'",
            "query throughput --workspace");
        command.SetAction((parsed, cancellationToken) =>
        {
            var asked = Asked(parsed.GetValue(file), parsed.GetValue(text));
            return parsed.GetValue(workspace)
                ? Task.FromResult(PrintForWorkspace(asked))
                : RunAsync(
                    (QueryFile.Parse(asked.Text, asked.Source), asked.Source),
                    parsed.GetValue(run),
                    parsed.GetValue(stage),
                    parsed.GetValue(format)!,
                    cancellationToken);
        });
        return command;
    }

    private static (string Text, string Source) Asked(string? file, string? text) => (file, text) switch
    {
        ("-", null) => (Console.In.ReadToEnd(), "standard input"),
        ({ } query, null) when IsQuery(query) => (query, "query"),
        ({ } name, null) => (QueryFile.Find(name), name),
        (null, { } query) => (query, "query"),
        _ => throw new BadInputException(
            "Give one query: ./lab query throughput, ./lab query 'requests | count', or - for standard input."),
    };

    private static bool IsQuery(string text) =>
        !File.Exists(text) && !text.EndsWith(".kql", StringComparison.Ordinal) && text.AsSpan().ContainsAny('|', ' ', '\n');

    private static int PrintForWorkspace((string Text, string Source) asked)
    {
        try
        {
            Console.Out.WriteLine(WorkspaceForm.Of(asked.Text).TrimEnd());
            return 0;
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{asked.Source}: {exception.Message}");
        }
    }

    private static async Task<int> RunAsync(
        (KqlQuery Query, string Source) asked, string? run, string? stage, string format, CancellationToken cancellationToken)
    {
        var folder = RunsOnDisk.Find(run);
        var telemetry = await RunTelemetry.LoadAsync(folder, cancellationToken);
        try
        {
            var answer = stage is null
                ? telemetry.AskAll(asked.Query, DateTimeOffset.MaxValue, cancellationToken: cancellationToken)
                : telemetry.Ask(asked.Query, Find(telemetry, stage, folder), cancellationToken);
            AnswerText.Write(answer, format, Console.Out);
            await Console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
                $"{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms; "
                + $"{Path.GetFileName(folder)}"));
            return 0;
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{asked.Source}: {exception.Message}");
        }
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
