using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The columns of a step, with unique names. Columns without a name get the same name as in Azure.</summary>
internal sealed class ColumnNames(QueryText text)
{
    private readonly List<ColumnSchema> _columns = [];
    private readonly HashSet<string> _named = [],
        _names = [];
    private readonly Dictionary<string, int> _numbers = [];
    private int _unnamed;

    public IReadOnlyList<ColumnSchema> Columns => _columns;

    public void AddNamed(string name, ColumnType type, int at)
    {
        if (!_named.Add(name))
            throw text.Error(at, $"the column '{name}' is defined twice.", "Use another name.");
        _columns.Add(new(Unique(name), type));
    }

    /// <summary>Adds a column with a derived name, made unique by a number.</summary>
    public void AddDerived(string? name, ColumnType type) =>
        _columns.Add(new(Unique(string.IsNullOrEmpty(name) ? Unnamed() : name), type));

    public void Add(Named column, ColumnType type)
    {
        if (column.Name is { } name)
            AddNamed(name, type, column.At);
        else
            AddDerived(Of(column.Value), type);
    }

    public static string? Of(Expression value)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        return value switch
        {
            Name name => name.Text,
            Member member => Of(member.Target) is { } target ? $"{target}_{member.Key}" : member.Key,
            Operation { Function.Name: "[]", Operands: [var target, Literal { Value: long index }] } =>
                $"{Of(target)}_{index}",
            Call call => Of(call),
            _ => null,
        };
    }

    private static string? Of(Call call) =>
        FunctionTable.Find(call.Function)?.Naming switch
        {
            ResultName.FirstArgument when call.Arguments.Count > 0 => Of(call.Arguments[0]),
            ResultName.FunctionAndFirstArgument when call.Arguments.Count > 0 =>
                $"{call.Function}_{Of(call.Arguments[0])}",
            null when AggregateTable.Find(call.Function) is ValueAggregate aggregate =>
                $"{aggregate.Prefix}_{(call.Arguments.Count > 0 ? Of(call.Arguments[0]) : "")}",
            _ => null,
        };

    private string Unnamed()
    {
        string name;
        do
        {
            name = $"Column{++_unnamed}";
        } while (_names.Contains(name));
        return name;
    }

    private string Unique(string name)
    {
        var unique = name;
        while (!_names.Add(unique))
        {
            var number = _numbers.GetValueOrDefault(name) + 1;
            _numbers[name] = number;
            unique = $"{name}{number}";
        }
        return unique;
    }
}
