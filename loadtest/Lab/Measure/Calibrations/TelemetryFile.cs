using System.Globalization;
using System.Text.Json;
using Microsoft.VisualBasic.FileIO;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Telemetry that somebody has exported: CSV with a header, an array of JSON objects, or the answer of the Application Insights API
/// (<c>az monitor app-insights query</c>). Columns have the names of Application Insights or of its workspace.
/// </summary>
internal static class TelemetryFile
{
    private const string Time = "timestamp",
        Name = "name",
        Target = "target",
        Duration = "duration",
        Success = "success",
        Kind = "itemType",
        Role = "cloud_RoleName",
        Instance = "cloud_RoleInstance",
        Value = "value",
        Count = "itemCount";

    // What fits into memory as items, and is more than enough for a fit.
    private const long MostBytes = 256 << 20;
    private const int MostItems = 5_000_000;

    private static readonly string[] Needed = [Time, Name, Target, Duration, Success];

    // Names in a workspace.
    private static readonly Dictionary<string, string> Others = new(StringComparer.OrdinalIgnoreCase)
    {
        ["TimeGenerated"] = Time,
        ["DurationMs"] = Duration,
        ["AppRoleName"] = Role,
        ["AppRoleInstance"] = Instance,
        ["Type"] = Kind,
    };

    /// <summary>For the help: what a file has to have.</summary>
    public static string Columns =>
        $"Columns: {string.Join(", ", Needed)}; for CPU costs also {Kind} (dependency, request, performanceCounter, node), "
        + $"{Role}, {Instance} and {Value}. The query that exports them is in docs/how-to/ask-the-model.md.";

    public static IReadOnlyList<TelemetryItem> Read(string file)
    {
        if (!File.Exists(file))
            throw new BadInputException($"{file}: there is no such file.");
        try
        {
            return ItemsOf(file);
        }
        catch (Exception exception) when (Refusal(exception) is { } refusal)
        {
            throw new BadInputException($"{file}{refusal}");
        }
    }

    private static List<TelemetryItem> ItemsOf(string file)
    {
        if (new FileInfo(file).Length > MostBytes)
            throw new BadInputException($"more than {MostBytes >> 20} MiB. Export a shorter time, or fewer columns.");
        using var text = File.OpenText(file);
        var rows = file.EndsWith(".csv", StringComparison.OrdinalIgnoreCase) ? FromCsv(text) : FromJson(text);
        List<TelemetryItem> items = [.. rows.Select(row => ItemOf(row)).OfType<TelemetryItem>().Take(MostItems + 1)];
        return items.Count <= MostItems
            ? items
            : throw new BadInputException($"more than {MostItems} rows. Export a shorter time.");
    }

    /// <summary>What a person is told after the file's name; null: it is not the file's fault.</summary>
    private static string? Refusal(Exception exception) =>
        exception switch
        {
            BadInputException => $": {exception.Message}",
            MalformedLineException malformed =>
                $": line {malformed.LineNumber}: a quote is not closed, or stands within a field.",
            JsonException => $": {exception.Message.Replace('\n', ' ')}",
            InvalidOperationException or KeyNotFoundException =>
                $" is not an answer of the Application Insights API: {exception.Message}",
            IOException or UnauthorizedAccessException => $" cannot be read: {exception.Message}",
            _ => null,
        };

    private static IEnumerable<Row> FromCsv(TextReader text)
    {
        using var csv = new TextFieldParser(text)
        {
            Delimiters = [","],
            HasFieldsEnclosedInQuotes = true,
            TrimWhiteSpace = false,
        };
        var columns = Known(csv.ReadFields() ?? []);
        for (var line = csv.LineNumber; csv.ReadFields() is { } fields; line = csv.LineNumber)
        {
            if (fields.Length != columns.Length)
            {
                throw new BadInputException(
                    $"line {line} has {fields.Length} fields, and the header has {columns.Length}."
                );
            }

            yield return new($"line {line}", Cells(columns, fields));
        }
    }

    private static IEnumerable<Row> FromJson(StreamReader text)
    {
        using var document = JsonDocument.Parse(text.BaseStream);
        var root = document.RootElement;
        var rows =
            root.ValueKind == JsonValueKind.Object
            && root.TryGetProperty("tables", out var tables)
            && tables.GetArrayLength() > 0
                ? FromTable(tables[0])
            : root.ValueKind == JsonValueKind.Array ? FromObjects(root)
            : throw new BadInputException(
                "expected an array of objects, or the answer of the Application Insights API."
            );
        foreach (var row in rows)
            yield return row;
    }

    private static IEnumerable<Row> FromTable(JsonElement table)
    {
        var columns = Known(
            table.GetProperty("columns").EnumerateArray().Select(column => $"{column.GetProperty("name")}")
        );
        foreach (var (row, cells) in table.GetProperty("rows").EnumerateArray().Index())
            yield return new($"row {row + 1}", Cells(columns, [.. cells.EnumerateArray().Select(cell => $"{cell}")]));
    }

    private static IEnumerable<Row> FromObjects(JsonElement objects)
    {
        foreach (var (i, item) in objects.EnumerateArray().Index())
        {
            if (item.ValueKind != JsonValueKind.Object)
                throw new BadInputException($"item {i + 1} is no object.");
            List<JsonProperty> properties = [.. item.EnumerateObject()];
            var columns = Known(properties.Select(property => property.Name), isComplete: i == 0);
            yield return new($"item {i + 1}", Cells(columns, properties.ConvertAll(property => $"{property.Value}")));
        }
    }

    private static Dictionary<string, string> Cells(string[] columns, IReadOnlyList<string> fields)
    {
        var cells = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < Math.Min(columns.Length, fields.Count); i++)
            cells[columns[i]] = fields[i];
        return cells;
    }

    /// <summary>The portal writes <c>timestamp [UTC]</c>.</summary>
    private static string[] Known(IEnumerable<string> header, bool isComplete = true)
    {
        var columns = header
            .Select(name => name.Trim('\uFEFF', ' ').Split(" [")[0])
            .Select(name => Others.GetValueOrDefault(name, name))
            .ToArray();
        return
            !isComplete
            || Array.Find(Needed, needed => !columns.Contains(needed, StringComparer.OrdinalIgnoreCase))
                is not { } missing
            ? columns
            : throw Missing(missing);
    }

    private static BadInputException Missing(string column) =>
        new($"the column {column} is missing. Needed are {string.Join(", ", Needed)}.");

    /// <returns>Null: an item of a kind that nobody asks for.</returns>
    private static TelemetryItem? ItemOf(Row row)
    {
        if (KindOf(row) is not { } kind)
            return null;
        var isCpu = kind is ItemKind.ProcessCpu or ItemKind.NodeCpu;
        return new(
            kind,
            row.Date(Time),
            row[Role],
            row[Instance].Length > 0 ? row[Instance] : row[Name],
            row[Name],
            row[Target],
            row.Number(isCpu ? Value : Duration),
            isCpu || row.Truth(Success),
            row[Count].Length > 0 ? row.Number(Count) : 1
        );
    }

    private static ItemKind? KindOf(Row row) =>
        row[Kind].ToUpperInvariant() switch
        {
            "" or "DEPENDENCY" or "APPDEPENDENCIES" => ItemKind.Dependency,
            "REQUEST" or "APPREQUESTS" => ItemKind.Request,
            "PERFORMANCECOUNTER" or "APPPERFORMANCECOUNTERS" => IsCpuOfProcess(row[Name]) ? ItemKind.ProcessCpu : null,
            "NODE" => ItemKind.NodeCpu,
            _ => null,
        };

    // Not the one that is divided by the cores (% Processor Time Normalized), nor that of the whole machine.
    private static bool IsCpuOfProcess(string counter) =>
        counter.EndsWith("% Processor Time", StringComparison.OrdinalIgnoreCase)
        && !counter.Contains(@"\Processor(", StringComparison.OrdinalIgnoreCase);

    private sealed record Row(string Place, Dictionary<string, string> Cells)
    {
        public string this[string column] => Cells.GetValueOrDefault(column, "");

        public double Number(string column) =>
            double.TryParse(this[column], CultureInfo.InvariantCulture, out var number)
            && double.IsFinite(number)
            && number >= 0
                ? number
                : throw Wrong(column, "a number that is not negative");

        public DateTimeOffset Date(string column) =>
            DateTimeOffset.TryParse(
                this[column],
                CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal,
                out var time
            )
                ? time
                : throw Wrong(column, "a time");

        public bool Truth(string column) =>
            this[column].ToUpperInvariant() switch
            {
                "TRUE" or "1" => true,
                "FALSE" or "0" => false,
                _ => throw Wrong(column, "True or False"),
            };

        private BadInputException Wrong(string column, string expected) =>
            new($"{Place}: {column} is '{this[column]}', expected {expected}.");
    }
}
