using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>
/// Application Insights, asked by the Azure CLI with the files of loadtest/queries. The queue's samples, which it does not have, go along
/// with the query.
/// </summary>
/// <param name="az">Path of the Azure CLI; null: it is not on PATH.</param>
/// <param name="folder">Of the run, where the queries are written as they are asked.</param>
internal sealed class AzureTelemetry(
    string? az,
    string application,
    string group,
    string folder,
    Action<string> notice,
    TimeProvider clock
) : ITargetTelemetry
{
    // Application Insights takes a minute or two until what was sent is found.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5),
        Pause = TimeSpan.FromSeconds(15);

    public async Task<IReadOnlyDictionary<string, double>> FiguresAsync(
        StageTimes stage,
        IReadOnlyList<Reading> readings,
        Sources told,
        long accepted,
        CancellationToken cancellationToken
    )
    {
        Write(stage, readings);
        if (az is null)
        {
            var commands = string.Join(
                '\n',
                TelemetryFigures.Queries.Select(query => "  az " + string.Join(' ', Arguments(query, stage)))
            );
            notice($"az is not on PATH. These commands query the stage's telemetry:\n{commands}");
            return new Dictionary<string, double>();
        }

        if (!await ArrivesAsync(az, stage, accepted, cancellationToken))
        {
            notice(
                $"After {Patience.TotalMinutes} minutes Application Insights still lacks telemetry of the stage: it tells nothing."
            );
            return new Dictionary<string, double>();
        }

        var answers = new Dictionary<string, Answer>();
        foreach (var query in TelemetryFigures.Queries)
            answers[query] = await AskAsync(az, query, stage, cancellationToken);
        return TelemetryFigures.All.ToDictionary(
            figure => figure.Name,
            figure => figure.Of(answers[figure.Query].Column, stage)
        );
    }

    /// <summary>A query of loadtest/queries with the times of the stage and the queue's samples in it.</summary>
    internal static string About(string query, StageTimes stage, IReadOnlyList<Reading> readings)
    {
        var timed = LetText.With(
            query,
            new Dictionary<string, object> { ["start"] = stage.Start, ["end"] = stage.End }
        );
        return timed.Contains("queueSamples", StringComparison.Ordinal) ? Samples(readings) + timed : timed;
    }

    private static string Samples(IReadOnlyList<Reading> readings)
    {
        var rows = new[] { readings[0], readings[^1] }.Select(Row);
        return "let queueSamples = datatable(timestamp:datetime, queue:string, incoming:long, completed:long, active:long, locked:long, "
            + $"deferred:long, scheduled:long, deadLetter:long) [{string.Join(", ", rows)}];\n";
    }

    private static string Row(Reading reading)
    {
        var queue = reading.Queue;
        return $"datetime({reading.Time.UtcDateTime:O}), '{BrokerCounters.QueueName}', {queue.Incoming}, {queue.Completed}, "
            + $"{queue.Active}, {queue.Locked}, {queue.Deferred}, {queue.Scheduled}, {queue.DeadLetter}";
    }

    private string QueryPath(string query) => Path.Combine(folder, "queries", query + ".kql");

    private void Write(StageTimes stage, IReadOnlyList<Reading> readings)
    {
        Directory.CreateDirectory(Path.Combine(folder, "queries"));
        foreach (var query in TelemetryFigures.Queries)
            File.WriteAllText(QueryPath(query), About(QueryFile.Text(query), stage, readings));
    }

    private string[] Arguments(string query, StageTimes stage) =>
        [
            "monitor",
            "app-insights",
            "query",
            "--apps",
            application,
            "--resource-group",
            group,
            "--start-time",
            $"{stage.Start.UtcDateTime:s}Z",
            "--end-time",
            $"{stage.End.UtcDateTime:s}Z",
            "--analytics-query",
            "@" + QueryPath(query),
            "--output",
            "json",
        ];

    /// <returns>False: some of it has not arrived in time, so no figure could be trusted.</returns>
    private async Task<bool> ArrivesAsync(
        string program,
        StageTimes stage,
        long accepted,
        CancellationToken cancellationToken
    )
    {
        var figure = TelemetryFigures.All.First(it => it.Name == "telemetry.accepted");
        for (
            var began = clock.GetTimestamp();
            clock.GetElapsedTime(began) < Patience;
            await Task.Delay(Pause, clock, cancellationToken)
        )
        {
            if (figure.Of((await AskAsync(program, figure.Query, stage, cancellationToken)).Column, stage) >= accepted)
                return true;
            notice("Application Insights does not have all telemetry of the stage yet…");
        }

        return false;
    }

    private async Task<Answer> AskAsync(
        string program,
        string query,
        StageTimes stage,
        CancellationToken cancellationToken
    )
    {
        // The command is of an extension, and az would ask whether to install it where nobody sees the question.
        var (exitCode, output, error) = await Executable.RunAsync(
            "env",
            ["AZURE_EXTENSION_USE_DYNAMIC_INSTALL=yes_without_prompt", program, .. Arguments(query, stage)],
            cancellationToken
        );
        return exitCode == 0
            ? Answer.Read(output)
            : throw new LabException(
                $"az monitor app-insights query ({query}.kql) ends with {exitCode}: {error.Trim().Split('\n')[0]}"
            );
    }

    /// <summary>The first table of an answer.</summary>
    private sealed record Answer(IReadOnlyList<string> Columns, JsonElement Rows)
    {
        public static Answer Read(string json)
        {
            using var document = JsonDocument.Parse(json);
            var table = document.RootElement.GetProperty("tables")[0].Clone();
            var columns = table
                .GetProperty("columns")
                .EnumerateArray()
                .Select(column => column.GetProperty("name").GetString()!);
            return new([.. columns], table.GetProperty("rows"));
        }

        public IEnumerable<object?> Column(string name)
        {
            var index = Columns.Index().First(column => column.Item == name).Index;
            return Rows.EnumerateArray().Select(row => Value(row[index]));
        }

        private static object? Value(JsonElement cell) =>
            cell.ValueKind switch
            {
                JsonValueKind.Number when cell.TryGetInt64(out var whole) => whole,
                JsonValueKind.Number => cell.GetDouble(),
                JsonValueKind.String when cell.TryGetDateTimeOffset(out var time) => time.UtcDateTime,
                JsonValueKind.String => cell.GetString(),
                _ => null,
            };
    }
}
