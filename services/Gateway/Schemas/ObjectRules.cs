using System.Text;
using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>
/// What an object's members have to be. A member that is there twice is refused: which one counts is the reader's choice.
/// </summary>
internal sealed class ObjectRules
{
    private const int LongestExcerpt = 100, BitsOfWord = 64;

    private readonly Member[] _members;

    public ObjectRules(IEnumerable<(string Name, Schema Schema)> members, IReadOnlyCollection<string> required)
    {
        var known = members.ToList();
        var others = required.Except(known.Select(member => member.Name)).Select(name => (Name: name, Schema: new Schema()));
        _members =
        [
            .. from member in known.Concat(others)
               select new Member(member.Name, Encoding.UTF8.GetBytes(member.Name), member.Schema, required.Contains(member.Name)),
        ];
    }

    public static ObjectRules None { get; } = new([], []);

    /// <summary>What members have to be that are not listed; null: there are none.</summary>
    public Schema? Others { get; init; } = new();

    public int Least { get; init; }

    public int Most { get; init; } = int.MaxValue;

    public Mistake? Check(ref Utf8JsonReader reader)
    {
        Span<ulong> seen = stackalloc ulong[_members.Length / BitsOfWord + 1];
        var (count, expected) = (0, 0);
        while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
        {
            count++;
            var i = Find(ref reader, expected);
            if ((i < 0 ? CheckOther(ref reader) : CheckMember(ref reader, i, seen)) is { } mistake)
                return mistake;
            expected = i + 1; // most writers keep the order of the schema
        }

        return MissingOf(seen) ?? (count < Least || count > Most ? Mistake.Of($"Must have {Least} to {Most} members.") : null);
    }

    private int Find(ref Utf8JsonReader reader, int expected)
    {
        for (var tried = 0; tried < _members.Length; tried++)
        {
            var i = (expected + tried) % _members.Length;
            if (reader.ValueTextEquals(_members[i].Utf8))
                return i;
        }
        return -1;
    }

    private Mistake? CheckMember(ref Utf8JsonReader reader, int i, scoped Span<ulong> seen)
    {
        var (word, bit) = (i / BitsOfWord, 1UL << i % BitsOfWord);
        if ((seen[word] & bit) != 0)
            return Mistake.Of("Given twice.").In(_members[i].Name);
        seen[word] |= bit;
        reader.Read();
        return _members[i].Schema.Check(ref reader)?.In(_members[i].Name);
    }

    private Mistake? CheckOther(ref Utf8JsonReader reader)
    {
        var name = reader.GetString()!;
        if (name.Length > LongestExcerpt)
            name = $"{name[..LongestExcerpt]}…";
        if (Others is null)
            return Mistake.Of("Unknown member.").In(name);
        reader.Read();
        return Others.Check(ref reader)?.In(name);
    }

    private Mistake? MissingOf(ReadOnlySpan<ulong> seen)
    {
        for (var i = 0; i < _members.Length; i++)
        {
            if (_members[i].IsRequired && (seen[i / BitsOfWord] & 1UL << i % BitsOfWord) == 0)
                return Mistake.Of("Required.").In(_members[i].Name);
        }
        return null;
    }

    private sealed record Member(string Name, byte[] Utf8, Schema Schema, bool IsRequired);
}
