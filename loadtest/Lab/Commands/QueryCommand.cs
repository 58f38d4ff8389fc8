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
        var file = new Argument<string?>("file") { Arity = ArgumentArity.ZeroOrOne, Description = "A .kql file, or the name of one of loadtest/queries." };
        var text = new Option<string?>("-e") { HelpName = "TEXT", Description = "The query itself." };
        var run = new Option<string?>("--run") { HelpName = "RUN", Description = "Folder of the run, or a part of its name. [default: the newest]" };
        var stage = new Option<string?>("--stage") { HelpName = "ID", Description = "Sets `start` and `end` of the query to those of a stage. [default: the whole run]" };
        var format = new Option<string>("--format") { Description = "How rows are printed.", DefaultValueFactory = _ => "table" };
        format.AcceptOnlyFromAmong("table", "csv", "json");
        var command = new Command("query", "Answers a query (KQL) from the telemetry of a run.") { file, text, run, stage, format }
            .WithExamples("query throughput", "query throughput --stage 4 --format csv", "query -e 'requests | summarize count() by cloud_RoleName, resultCode'");
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(QueryOf(parsed.GetValue(file), parsed.GetValue(text)), parsed.GetValue(run), parsed.GetValue(stage), parsed.GetValue(format)!, cancellationToken));
        return command;
    }

    private static (KqlQuery Query, string Source) QueryOf(string? file, string? text) => (file, text) switch
    {
        ({ } name, null) => (QueryFile.Read(name), name),
        (null, { } query) => (QueryFile.Parse(query, "query"), "query"),
        _ => throw new BadInputException("Give either a file or -e TEXT: ./lab query throughput, ./lab query -e 'requests | count'."),
    };

    private static async Task<int> RunAsync((KqlQuery Query, string Source) asked, string? run, string? stage, string format, CancellationToken cancellationToken)
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
                $"{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms; {Path.GetFileName(folder)}"));
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
            ?? throw new BadInputException($"{Path.GetFileName(folder)} has no stage {stage}. {(stages.Count == 0 ? "No stage of it has ended." : $"There are: {string.Join(", ", stages.Select(it => it.Stage))}.")}");
    }
}
