using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Bodies that are nearly right, the same ones for the same seed.</summary>
internal sealed class Mutations(int seed)
{
    private static readonly string[] Values =
    [
        "null", "true", "false", "0", "-0", "1", "-1", "0.001", "0.0009", "1000", "1000.1", "90", "90.4", "-90", "91", "180", "-181",
        "10000", "1e3", "1e400", "-1e400", "1.0", "12345678901234567890", "\"\"", "\" \"", "\"a\"", "\"A-1\"", "\"-a\"", "\"a b\"",
        "\"a\\n\"", "\"\\u0061\"", "\"\\u0000\"", "\"\\u007f\"", "\"\\ud83d\\ude00\"", "\"é\"", "\"1\"", "\"Small\"",
        "\"small\"", "\"Picture\"", "\"None\"", "\"2030-01-31T12:00:00Z\"", "\"2030-01-31T12:00:00+02:00\"", "\"2030-01-31\"",
        "\"2030-13-31T12:00:00Z\"", "\"1999-12-31T23:59:59Z\"", "\"2000-01-01T00:30:00+01:00\"", "\"9998-12-31T23:30:00-01:00\"",
        "\"0001-01-01T00:00:00Z\"", "\"2030-01-31T12:00:00.12345678Z\"", "\"2030-01-31 12:00:00Z\"", "[]", "{}", "[1]",
        "{\"latitude\":1,\"longitude\":2}", "[{}]",
    ];

    private static readonly string[] Inserts =
    [
        "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "\n", "0", "-", ".", "e", "/**/", "//", "null", "\0", "\\ud800", "\u00e9",
        "\ud83d\ude00",
    ];

    private readonly Random _random = new(seed);

    /// <param name="valid">A body that is right.</param>
    public Mutant Next(string valid)
    {
        var body = JsonNode.Parse(valid)!.AsObject();
        var wasStyle = false;
        for (var i = _random.Next(1, 4); i > 0; i--)
            wasStyle |= Change(body);
        var text = body.ToJsonString();
        if (_random.Next(10) == 0)
            text = Repeat(text);
        var bytes = Encoding.UTF8.GetBytes(text);
        for (var i = _random.Next(4) == 0 ? _random.Next(1, 4) : 0; i > 0; i--)
            bytes = ChangeBytes(bytes, ref wasStyle);
        return new(bytes, ContentType(), wasStyle);
    }

    /// <returns>Whether Ingestion may take what the gateway does not: a name in other letters.</returns>
    private bool Change(JsonObject body)
    {
        var owner = Pick(body);
        if (owner.Count == 0)
            return false;
        var name = owner.ElementAt(_random.Next(owner.Count)).Key;
        switch (_random.Next(8))
        {
            case 0:
                owner.Remove(name);
                return false;
            case 1:
                Rename(owner, name, _random.Next(2) == 0 ? name.ToUpperInvariant() : char.ToUpperInvariant(name[0]) + name[1..]);
                return true;
            case 2:
                Rename(owner, name, name + (char)_random.Next('a', 'f'));
                return false;
            case 3:
                owner[$"x{_random.Next(3)}"] = Value();
                return false;
            case 4:
                owner[name] = new string((char)_random.Next(' ', 'z'), _random.Next(140));
                return false;
            case 5 when owner[name] is JsonValue value:
                owner[name] = value.ToString().ToUpperInvariant();
                return true; // Small is small to Ingestion
            default:
                owner[name] = Value();
                return true; // an enum among them
        }
    }

    private JsonObject Pick(JsonObject body)
    {
        var inside = body.Select(member => member.Value).OfType<JsonObject>().ToList();
        return inside.Count == 0 || _random.Next(2) == 0 ? body : inside[_random.Next(inside.Count)];
    }

    private static void Rename(JsonObject owner, string name, string other)
    {
        var value = owner[name];
        owner.Remove(name);
        owner[other] = value?.DeepClone();
    }

    private JsonNode? Value() => JsonNode.Parse(Values[_random.Next(Values.Length)]);

    /// <summary>A member twice, which no tree of nodes can hold.</summary>
    private string Repeat(string text) =>
        text.Insert(1, string.Create(CultureInfo.InvariantCulture, $"\"ownerId\":{Values[_random.Next(Values.Length)]},"));

    private byte[] ChangeBytes(byte[] body, ref bool wasStyle)
    {
        var at = _random.Next(body.Length + 1);
        switch (_random.Next(6))
        {
            case 0:
                return body[..at];
            case 1 when at < body.Length:
                return [.. body[..at], .. body[(at + 1)..]];
            case 2 when at < body.Length:
                wasStyle = true; // a letter may have become a capital
                return [.. body[..at], (byte)(body[at] ^ 1 << _random.Next(8)), .. body[(at + 1)..]];
            case 3:
                wasStyle = true; // a mark of the byte order
                return [0xEF, 0xBB, 0xBF, .. body];
            case 4:
                return [.. body, .. Encoding.UTF8.GetBytes(Inserts[_random.Next(Inserts.Length)])];
            default:
                return [.. body[..at], .. Encoding.UTF8.GetBytes(Inserts[_random.Next(Inserts.Length)]), .. body[at..]];
        }
    }

    private string ContentType() => _random.Next(50) switch
    {
        0 => "application/json; charset=utf-16",
        1 => "text/json",
        2 => "application/json; charset=utf-8",
        _ => "application/json",
    };
}

/// <param name="Body">As it is sent.</param>
/// <param name="ContentType">As it is declared.</param>
/// <param name="MayBeStricter">Whether something was changed that the gateway takes more seriously than Ingestion.</param>
internal sealed record Mutant(byte[] Body, string ContentType, bool MayBeStricter);
