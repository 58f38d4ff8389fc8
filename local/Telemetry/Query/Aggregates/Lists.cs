using System.Buffers;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>make_list and make_set: the values of each group as an array, in order of occurrence. For arrays, a set
/// contains their items.</summary>
internal sealed class Lists(ColumnType type, bool distinct, QueryContext context) : Aggregate
{
    private readonly HashSet<(int, object)> _seen = [];
    private List<object>?[] _lists = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _lists, count);
        context.Hold(groups.Length);
        var values = arguments[0];
        for (var i = 0; i < groups.Length; i++)
        {
            if (values.Value(i) is not { } value)
                continue;
            if (distinct && value is Dynamic { Kind: JsonValueKind.Array } array)
                AddItems(groups[i], array);
            else
                Add(groups[i], value);
        }
    }

    private void AddItems(int group, Dynamic array)
    {
        var elements = array.Elements();
        context.Hold(elements.Count);
        foreach (var element in elements)
            Add(group, element);
    }

    private void Add(int group, object value)
    {
        if (!distinct || _seen.Add((group, value is Dynamic json ? json.Normalized() : value)))
            (_lists[group] ??= []).Add(value);
    }

    public override Column[] Finish(int count)
    {
        Grow(ref _lists, count);
        var arrays = new ColumnMaker<Dynamic>(ColumnType.Dynamic, count, context);
        for (var group = 0; group < count; group++)
            arrays.Set(group, Array(_lists[group] ?? []));
        return [arrays.Column];
    }

    private Dynamic Array(List<object> values)
    {
        var text = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(text);
        json.WriteStartArray();
        foreach (var value in values)
            JsonValue.Write(json, type, value);
        json.WriteEndArray();
        json.Flush();
        return new(text.WrittenMemory);
    }
}
