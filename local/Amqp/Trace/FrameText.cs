using System.Collections;
using System.Globalization;
using System.Text;

namespace DroneDelivery.Amqp;

/// <summary>
/// A frame as a person reads it: <c>transfer(handle=0 delivery-id=5 …) + 312 bytes</c>. Fields that are absent or false are left out.
/// Payloads, which may be tokens, and the SASL response only show their size.
/// </summary>
internal static class FrameText
{
    public const int MaxLength = 2000;

    private const int MaxValues = 4096;
    private const int MaxBinary = 32;

    private static readonly string[] Secrets = ["initial-response", "additional-data"];

    public static string Of(ReadOnlySpan<byte> body)
    {
        if (body.IsEmpty)
            return "heartbeat";
        var text = new StringBuilder();
        try
        {
            var reader = new AmqpReader(body, MaxValues);
            AppendPerformative(text, ref reader);
            if (body.Length > reader.Position)
                text.Append(CultureInfo.InvariantCulture, $" + {body.Length - reader.Position} bytes");
        }
        catch (AmqpException e)
        {
            text.Append(CultureInfo.InvariantCulture, $" … {body.Length} bytes that cannot be read: {e.Error.Description}");
        }
        return text.Length <= MaxLength ? text.ToString() : $"{text.ToString(0, MaxLength)}…";
    }

    private static void AppendPerformative(StringBuilder text, ref AmqpReader reader)
    {
        var (name, fields) = CompositeTypes.Of(reader.ReadDescriptor());
        var values = new List<object?>();
        for (var left = reader.ReadListHead(); left > 0; left--)
            values.Add(reader.ReadValue());
        AppendFields(text.Append(name), fields, values);
    }

    private static void AppendFields(StringBuilder text, string[] fields, List<object?> values) => AppendAll(
        text, "()", values.Index().Where(field => field.Item is not (null or false)), field =>
        {
            var name = field.Index < fields.Length ? fields[field.Index] : $"{field.Index}";
            text.Append(name).Append('=');
            if (name == "role")
                text.Append("receiver");
            else if (field.Item is byte[] secret && Secrets.Contains(name))
                text.Append(CultureInfo.InvariantCulture, $"({secret.Length} bytes)");
            else
                AppendValue(text, field.Item);
        });

    private static void AppendAll<T>(StringBuilder text, string brackets, IEnumerable<T> items, Action<T> append)
    {
        text.Append(brackets[0]);
        var first = text.Length;
        foreach (var item in items)
        {
            if (text.Length > first)
                text.Append(' ');
            append(item);
        }
        text.Append(brackets[1]);
    }

    private static void AppendValue(StringBuilder text, object? value)
    {
        switch (value)
        {
            case null: text.Append("null"); break;
            case bool truth: text.Append(truth ? "true" : "false"); break;
            case string words: text.Append('"').Append(OneLine(words)).Append('"'); break;
            case Symbol symbol: text.Append(OneLine(symbol.Value)); break;
            case byte[] binary: AppendBinary(text, binary); break;
            case DescribedValue described: AppendDescribed(text, described); break;
            case IDictionary map: AppendMap(text, map); break;
            case IEnumerable list: AppendAll(text, "[]", list.Cast<object?>(), value => AppendValue(text, value)); break;
            default: text.Append(OneLine(Convert.ToString(value, CultureInfo.InvariantCulture)!)); break;
        }
    }

    private static void AppendBinary(StringBuilder text, byte[] binary)
    {
        if (binary.Length <= MaxBinary)
            text.Append("0x").Append(Convert.ToHexStringLower(binary));
        else
            text.Append(CultureInfo.InvariantCulture, $"({binary.Length} bytes)");
    }

    private static void AppendDescribed(StringBuilder text, DescribedValue described)
    {
        var (name, fields) = CompositeTypes.Of(described.Descriptor);
        text.Append(name);
        if (described.Value is List<object?> { Count: 0 })
            return;
        if (fields.Length > 0 && described.Value is List<object?> values)
        {
            AppendFields(text, fields, values);
            return;
        }
        AppendValue(text.Append('('), described.Value);
        text.Append(')');
    }

    private static void AppendMap(StringBuilder text, IDictionary map) => AppendAll(text, "{}", map.Keys.Cast<object>(), key =>
    {
        AppendValue(text, key is string name ? new Symbol(name) : key);
        text.Append('=');
        AppendValue(text, map[key]);
    });

    // A peer's text must not look like another line of the trace, or move the terminal's cursor.
    private static string OneLine(string text) => string.Create(text.Length, text, static (line, original) =>
    {
        for (var i = 0; i < line.Length; i++)
            line[i] = char.IsControl(original[i]) ? '·' : original[i];
    });
}
