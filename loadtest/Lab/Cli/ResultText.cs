using System.Text.Json;
using DroneDelivery.Lab.Report;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Cli;

internal static class ResultText
{
    /// <param name="format"><c>table</c>, <c>csv</c> (RFC 4180) or <c>json</c> (an array of objects).</param>
    public static void Write(QueryResult answer, string format, Outlet output)
    {
        switch (format)
        {
            case "csv":
                WriteCsv(answer, output.Text);
                break;
            case "json":
                WriteJson(answer, output.Text);
                break;
            default:
                output.Screen.Write(ResultTable.Of("", answer));
                break;
        }
    }

    private static void WriteCsv(QueryResult answer, TextWriter output)
    {
        output.WriteLine(string.Join(',', answer.Columns.Select(column => Quoted(column.Name))));
        foreach (var row in ResultTable.Rows(answer))
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

    private static string Quoted(string text) =>
        text.AsSpan().IndexOfAny(",\"\r\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
}
