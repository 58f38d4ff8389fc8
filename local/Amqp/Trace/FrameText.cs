using System.Collections;
using System.Globalization;

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
        string text;
        try
        {
            var reader = new AmqpReader(body, MaxValues);
            text = Performative(ref reader);
            if (body.Length > reader.Position)
                text += $" + {body.Length - reader.Position} bytes";
        }
        catch (AmqpException e)
        {
            text = $" … {body.Length} bytes that cannot be read: {e.Error.Description}";
        }
        return text.Length <= MaxLength ? text : $"{text[..MaxLength]}…";
    }

    private static string Performative(ref AmqpReader reader)
    {
        var (name, fields) = CompositeTypes.Of(reader.ReadDescriptor());
        var values = new List<object?>();
        for (var left = reader.ReadListHead(); left > 0; left--)
            values.Add(reader.ReadValue());
        return name + Fields(fields, values);
    }

    private static string Fields(string[] names, List<object?> values) =>
        All(
            "()",
            values
                .Index()
                .Where(field => field.Item is not (null or false))
                .Select(field => Field(field.Index < names.Length ? names[field.Index] : $"{field.Index}", field.Item))
        );

    private static string Field(string name, object? value) =>
        (name, value) switch
        {
            ("role", _) => "role=receiver",
            (_, byte[] secret) when Secrets.Contains(name) => $"{name}=({secret.Length} bytes)",
            _ => $"{name}={Text(value)}",
        };

    private static string All(string brackets, IEnumerable<string> items) =>
        $"{brackets[0]}{string.Join(' ', items)}{brackets[1]}";

    private static string Text(object? value) =>
        value switch
        {
            null => "null",
            bool truth => truth ? "true" : "false",
            string words => $"\"{OneLine(words)}\"",
            Symbol symbol => OneLine(symbol.Value),
            byte[] binary => binary.Length <= MaxBinary
                ? $"0x{Convert.ToHexStringLower(binary)}"
                : $"({binary.Length} bytes)",
            DescribedValue described => Described(described),
            IDictionary map => All("{}", map.Keys.Cast<object>().Select(key => $"{Key(key)}={Text(map[key])}")),
            IEnumerable list => All("[]", list.Cast<object?>().Select(Text)),
            _ => OneLine(Convert.ToString(value, CultureInfo.InvariantCulture)!),
        };

    private static string Key(object key) => key is string name ? OneLine(name) : Text(key);

    private static string Described(DescribedValue described)
    {
        var (name, fields) = CompositeTypes.Of(described.Descriptor);
        return described.Value switch
        {
            List<object?> { Count: 0 } => name,
            List<object?> values when fields.Length > 0 => name + Fields(fields, values),
            _ => $"{name}({Text(described.Value)})",
        };
    }

    // A peer's text must not look like another line of the trace, or move the terminal's cursor.
    private static string OneLine(string text) => string.Create(text.Length, text, static (line, original) =>
        {
            for (var i = 0; i < line.Length; i++)
                line[i] = char.IsControl(original[i]) ? '·' : original[i];
        });
}
