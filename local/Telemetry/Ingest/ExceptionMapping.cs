using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>An exception item lists its chain from the outermost to the innermost exception, each with its stack.</summary>
internal sealed class ExceptionMapping : RowMapping
{
    private readonly int _problem,
        _severity,
        _details;
    private readonly int[] _own,
        _outer,
        _innermost;

    public ExceptionMapping(Table table)
        : base(table, "exception")
    {
        (_problem, _severity, _details) = (ColumnOf("problemId"), ColumnOf("severityLevel"), ColumnOf("details"));
        _own = ColumnsOf("type", "message", "assembly", "method");
        _outer = ColumnsOf("outerType", "outerMessage", "outerAssembly", "outerMethod");
        _innermost = ColumnsOf("innermostType", "innermostMessage", "innermostAssembly", "innermostMethod");
    }

    protected override void WriteOwn(Envelope item)
    {
        var chain = Read(item[EnvelopeField.Exceptions], links => links.Select(ReadLink));
        if (Severity.Level(item[EnvelopeField.SeverityLevel]) is { } level)
            Table.Whole(_severity, level);
        if (chain.Count > 0)
        {
            Table.Text(_details, item[EnvelopeField.Exceptions]);
            Write(chain[0], _own);
            Write(chain[0], _outer);
            Write(chain[^1], _innermost);
        }
        if (item.Has(EnvelopeField.ProblemId))
            Table.Text(_problem, item[EnvelopeField.ProblemId]);
        else if (chain.Count > 0)
            Table.Text(_problem, chain[0].Method is "" ? chain[0].Type : $"{chain[0].Type} at {chain[0].Method}");
    }

    private int[] ColumnsOf(params string[] names) => Array.ConvertAll(names, ColumnOf);

    private void Write(Link link, int[] columns)
    {
        string[] texts = [link.Type, link.Message, link.Assembly, link.Method];
        for (var i = 0; i < texts.Length; i++)
            Table.Text(columns[i], texts[i]);
    }

    private static Link ReadLink(JsonElement exception)
    {
        var frame =
            exception.ValueKind == JsonValueKind.Object
            && exception.TryGetProperty("parsedStack", out var stack)
            && stack.ValueKind == JsonValueKind.Array
            && stack.GetArrayLength() > 0
                ? stack[0]
                : default;
        return new(
            Text(exception, "typeName"),
            Text(exception, "message"),
            Text(frame, "assembly"),
            Text(frame, "method")
        );
    }

    private static string Text(JsonElement element, string name) =>
        element.ValueKind == JsonValueKind.Object
        && element.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
            ? value.GetString()!
            : "";

    private readonly record struct Link(string Type, string Message, string Assembly, string Method);
}
