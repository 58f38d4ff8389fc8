using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>An exception item lists its chain from the outermost to the innermost exception, each with its stack.</summary>
internal sealed class ExceptionMapping : RowMapping
{
    private readonly int _problem,
        _type,
        _message,
        _assembly,
        _method,
        _severity,
        _details;
    private readonly (int Type, int Message, int Assembly, int Method) _outer,
        _innermost;

    public ExceptionMapping(Table table)
        : base(table, "exception")
    {
        (_problem, _severity, _details) = (ColumnOf("problemId"), ColumnOf("severityLevel"), ColumnOf("details"));
        (_type, _message, _assembly, _method) = (
            ColumnOf("type"),
            ColumnOf("message"),
            ColumnOf("assembly"),
            ColumnOf("method")
        );
        _outer = (ColumnOf("outerType"), ColumnOf("outerMessage"), ColumnOf("outerAssembly"), ColumnOf("outerMethod"));
        _innermost = (
            ColumnOf("innermostType"),
            ColumnOf("innermostMessage"),
            ColumnOf("innermostAssembly"),
            ColumnOf("innermostMethod")
        );
    }

    protected override void WriteOwn(Envelope item)
    {
        var chain = Read(item[EnvelopeField.Exceptions], links => links.Select(ReadLink));
        if (Severity.Level(item[EnvelopeField.SeverityLevel]) is { } level)
            Table.Whole(_severity, level);
        if (chain.Count > 0)
        {
            Table.Text(_details, item[EnvelopeField.Exceptions]);
            Write(chain[0], (_type, _message, _assembly, _method));
            Write(chain[0], _outer);
            Write(chain[^1], _innermost);
        }
        if (item.Has(EnvelopeField.ProblemId))
            Table.Text(_problem, item[EnvelopeField.ProblemId]);
        else if (chain.Count > 0)
            Table.Text(_problem, chain[0].Method is "" ? chain[0].Type : $"{chain[0].Type} at {chain[0].Method}");
    }

    private void Write(Link link, (int Type, int Message, int Assembly, int Method) columns)
    {
        Table.Text(columns.Type, link.Type);
        Table.Text(columns.Message, link.Message);
        Table.Text(columns.Assembly, link.Assembly);
        Table.Text(columns.Method, link.Method);
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
