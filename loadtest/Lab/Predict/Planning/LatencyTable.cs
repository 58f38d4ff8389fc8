using System.Globalization;
using System.Text.Json;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Latencies out of telemetry: the answer of the query <c>latency-by-target</c> as CSV, or from Azure as JSON.
/// </summary>
internal static class LatencyTable
{
    // It has a line for each target.
    private const long Longest = 16 << 20;

    private const string Query = "latency-by-target", Target = "target", Median = "percentile_duration_50", High = "percentile_duration_95";

    /// <summary>What <c>az monitor app-insights query</c> prints, or <c>./lab query</c> with --format csv or json.</summary>
    /// <exception cref="BadInputException">No such file, no table, or a column is missing: the message names it.</exception>
    public static IReadOnlyDictionary<string, LogNormal> Read(string file)
    {
        if (!File.Exists(file))
            throw new BadInputException($"{file} is no file. Make one: ./lab query {Query} --format csv > latencies.csv.");
        var name = Path.GetFileName(file);
        if (new FileInfo(file).Length is > Longest and var bytes)
            throw new BadInputException($"{name} has {bytes >> 20:N0} MiB, and a table of latencies at most {Longest >> 20}.");
        try
        {
            var text = File.ReadAllText(file);
            return Of(text.TrimStart() is ['{' or '[', ..] ? OfJson(text) : OfCsv(text, name), name);
        }
        catch (JsonException exception)
        {
            throw new BadInputException($"{file}: {exception.Message.Replace('\n', ' ')}");
        }
        catch (Exception exception) when (exception is InvalidOperationException or KeyNotFoundException)
        {
            throw new BadInputException($"{name} has no rows of columns, which an answer of the query {Query} has.");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new BadInputException($"{file} cannot be read: {exception.Message}");
        }
    }

    private static Dictionary<string, LogNormal> Of(List<Dictionary<string, string>> rows, string source)
    {
        if (rows.Count == 0)
            throw new BadInputException($"{source} has no rows.");
        foreach (var (i, row) in rows.Index())
        {
            if (Array.Find([Target, Median, High], column => !row.ContainsKey(column)) is { } missing)
            {
                throw new BadInputException(
                    (i == 0 ? $"{source} has no column {missing}" : $"row {i + 1} of {source} has no column {missing}")
                    + $", only {string.Join(", ", row.Keys)}. The query {Query} answers with all of them.");
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

    private static List<Dictionary<string, string>> OfCsv(string text, string source)
    {
        try
        {
            var lines = CsvRecords.Read(new StringReader(text.TrimStart('\uFEFF'))).Where(line => line.Fields is not [""]).ToList();
            return lines is [var head, .. var rest]
                ? rest.ConvertAll(line => Row($"line {line.Line}", head.Fields, line.Fields))
                : [];
        }
        catch (BadInputException exception)
        {
            throw new BadInputException($"{source}: {exception.Message}");
        }
    }

    /// <summary>Rows of objects, or the tables of Azure: names of columns, then rows of cells.</summary>
    private static List<Dictionary<string, string>> OfJson(string text)
    {
        using var document = JsonDocument.Parse(text);
        var root = document.RootElement;
        if (root.ValueKind == JsonValueKind.Array)
        {
            return [.. root.EnumerateArray().Select(row =>
                row.EnumerateObject().GroupBy(it => it.Name).ToDictionary(it => it.Key, it => $"{it.Last().Value}"))];
        }

        if (!root.TryGetProperty("tables", out var tables) || tables.ValueKind != JsonValueKind.Array || tables.GetArrayLength() == 0)
            throw new JsonException("neither rows nor tables.");
        List<string> head = [.. tables[0].GetProperty("columns").EnumerateArray().Select(column => $"{column.GetProperty("name")}")];
        return [.. tables[0].GetProperty("rows").EnumerateArray()
            .Select((row, i) => Row($"row {i + 1}", head, [.. row.EnumerateArray().Select(cell => $"{cell}")]))];
    }

    private static Dictionary<string, string> Row(string place, List<string> head, List<string> cells)
    {
        if (head.CountBy(name => name.Trim()).FirstOrDefault(name => name.Value > 1).Key is { } twice)
            throw new BadInputException($"two columns are named {twice}.");
        if (cells.Count != head.Count)
            throw new BadInputException($"{place} has {cells.Count} fields, and the header has {head.Count}.");
        return head.Zip(cells).ToDictionary(it => it.First.Trim(), it => it.Second.Trim());
    }
}
