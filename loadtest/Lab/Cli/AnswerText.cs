using System.Text.Json;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal static class AnswerText
{
    /// <param name="format">table, csv (RFC 4180) or json (an array of objects).</param>
    public static void Write(QueryResult answer, string format, Outlet output)
    {
        switch (format)
        {
            case "csv": WriteCsv(answer, output.Text); break;
            case "json": WriteJson(answer, output.Text); break;
            default: output.Screen.Write(TableOf(answer)); break;
        }
    }

    private static void WriteCsv(QueryResult answer, TextWriter output)
    {
        output.WriteLine(string.Join(',', answer.Columns.Select(column => Quoted(column.Name))));
        foreach (var row in Rows(answer))
            output.WriteLine(string.Join(',', row.Select(Quoted)));
    }

    private static void WriteJson(QueryResult answer, TextWriter output)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, new() { Indented = true }))
        {
            json.WriteStartArray();
            for (var row = 0; row < answer.Rows; row++)
            {
                json.WriteStartObject();
                for (var column = 0; column < answer.Columns.Count; column++)
                {
                    json.WritePropertyName(answer.Columns[column].Name);
                    answer.WriteCell(json, row, column);
                }

                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        output.WriteLine(System.Text.Encoding.UTF8.GetString(buffer.ToArray()));
    }

    private static Table TableOf(QueryResult answer) => Table.Of(
        "",
        [.. answer.Columns.Select(it => it.Type is ColumnType.Int or ColumnType.Long or ColumnType.Real ? it.Name + "#" : it.Name)],
        Rows(answer),
        row => [.. row.Select(text => (Cell)text)]);

    private static IEnumerable<IEnumerable<string>> Rows(QueryResult answer) =>
        Enumerable.Range(0, answer.Rows)
            .Select(row => Enumerable.Range(0, answer.Columns.Count).Select(column => Text(answer[row, column])));

    private static string Text(object? cell) => cell switch
    {
        DateTime time => $"{time:yyyy-MM-ddTHH:mm:ss.FFFFFFFK}",
        bool truth => truth ? "true" : "false",
        _ => $"{cell}",
    };

    private static string Quoted(string text) =>
        text.AsSpan().IndexOfAny(",\"\r\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
}
