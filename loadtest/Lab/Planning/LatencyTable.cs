using System.Globalization;
using System.Text.Json;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Planning;

/// <summary>
/// Latencies out of telemetry: the answer of the query <c>latency-by-target</c>, from a run of the lab, or from Azure as CSV or JSON.
/// </summary>
internal static class LatencyTable
{
    private const string Query = "latency-by-target", Target = "target", Median = "percentile_duration_50", High = "percentile_duration_95";

    /// <summary>What <c>az monitor app-insights query</c> prints, or <c>./lab query</c> with --format csv or json.</summary>
    /// <exception cref="BadInputException">No such file, no table, or a column is missing: the message names it.</exception>
    public static IReadOnlyDictionary<string, LogNormal> Read(string file)
    {
        if (!File.Exists(file))
            throw new BadInputException($"{file} is no file. Make one: ./lab query {Query} --format csv > latencies.csv.");
        var text = File.ReadAllText(file);
        try
        {
            var rows = text.TrimStart().StartsWith('{') || text.TrimStart().StartsWith('[') ? OfJson(text) : OfCsv(text);
            return Of(rows.ToList(), Path.GetFileName(file));
        }
        catch (JsonException exception)
        {
            throw new BadInputException($"{file}: {exception.Message.Replace('\n', ' ')}");
        }
    }

    /// <summary>What a run measured, in its last stage.</summary>
    /// <exception cref="BadInputException">No such run.</exception>
    /// <exception cref="LabException">It kept no telemetry.</exception>
    public static async Task<IReadOnlyDictionary<string, LogNormal>> OfRunAsync(
        string run, Action<string> notice, CancellationToken cancellationToken)
    {
        var folder = RunsOnDisk.Find(run == "last" ? null : run);
        var telemetry = await RunTelemetry.LoadAsync(folder, notice, cancellationToken);
        var name = Path.GetFileName(folder);
        if (telemetry.Stages() is not [.., var last])
            throw new BadInputException($"{name}: no stage of it has ended.");
        var answer = telemetry.Ask(Query, last, cancellationToken);
        var rows = Enumerable.Range(0, answer.Rows).Select(row => answer.Columns.Index().ToDictionary(
            column => column.Item.Name,
            column => Convert.ToString(answer[row, column.Index], CultureInfo.InvariantCulture) ?? ""));
        return Of([.. rows], $"stage {last.Stage} of {name}");
    }

    private static Dictionary<string, LogNormal> Of(List<Dictionary<string, string>> rows, string source)
    {
        if (rows.Count == 0)
            throw new BadInputException($"{source} has no rows.");
        foreach (var column in (string[])[Target, Median, High])
        {
            if (!rows[0].ContainsKey(column))
            {
                throw new BadInputException(
                    $"{source} has no column {column}, only {string.Join(", ", rows[0].Keys)}. "
                    + $"The query {Query} answers with all of them.");
            }
        }

        var latencies = new Dictionary<string, LogNormal>();
        foreach (var row in rows)
        {
            var process = Service.Backends.FirstOrDefault(it => it.Name == row[Target])?.Name ?? "broker";
            var latency = PlanInputs.OfPercentiles(Number(row, Median, source), Number(row, High, source), $"{source}, {row[Target]}");
            if (!latencies.TryAdd(process, latency))
                throw new BadInputException($"{source} has two rows for {process}; one is of the target {row[Target]}.");
        }

        return latencies;
    }

    private static double Number(Dictionary<string, string> row, string column, string source) =>
        double.TryParse(row[column], CultureInfo.InvariantCulture, out var number) && double.IsFinite(number)
            ? number
            : throw new BadInputException($"{source}: {column} of {row[Target]} is {row[column]}, and no number.");

    private static IEnumerable<Dictionary<string, string>> OfCsv(string text)
    {
        var lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        if (lines.Length == 0)
            return [];
        var head = lines[0].TrimStart('\uFEFF').Split(',').Select(Unquoted).ToList();
        return lines.Skip(1).Select(line => head.Zip(line.Split(',').Select(Unquoted)).ToDictionary(it => it.First, it => it.Second));
    }

    /// <summary>Rows of objects, or the tables of Azure: names of columns, then rows of cells.</summary>
    private static IEnumerable<Dictionary<string, string>> OfJson(string text)
    {
        using var document = JsonDocument.Parse(text);
        var root = document.RootElement;
        if (root.ValueKind == JsonValueKind.Array)
            return [.. root.EnumerateArray().Select(row => row.EnumerateObject().ToDictionary(it => it.Name, it => it.Value.ToString()))];
        if (!root.TryGetProperty("tables", out var tables) || tables.ValueKind != JsonValueKind.Array || tables.GetArrayLength() == 0)
            throw new JsonException("neither rows nor tables.");
        var head = tables[0].GetProperty("columns").EnumerateArray().Select(column => column.GetProperty("name").ToString()).ToList();
        return [.. tables[0].GetProperty("rows").EnumerateArray()
            .Select(row => head.Zip(row.EnumerateArray()).ToDictionary(it => it.First, it => it.Second.ToString()))];
    }

    private static string Unquoted(string cell) => cell.Trim().Trim('"');
}
