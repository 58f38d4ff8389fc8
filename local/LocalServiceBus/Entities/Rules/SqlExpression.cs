namespace DroneDelivery.LocalServiceBus.Entities.Rules;

internal delegate object? SqlExpression(IRuleMessage message);

/// <summary>A predicate that is <c>true</c>, <c>false</c>, or unknown (<c>null</c>). The operators of <c>bool?</c>
/// implement SQL's three-valued logic.</summary>
internal delegate bool? SqlPredicate(IRuleMessage message);

internal sealed record SqlProperty(bool IsSystem, string Name)
{
    public object? Evaluate(IRuleMessage message) =>
        IsSystem ? SqlValue.Of(message.System(Name)) : Evaluate(Name, message);

    public bool? Exists(IRuleMessage message) =>
        IsSystem ? message.System(Name) is not null : message.TryGet(Name, out _);

    public static object? Evaluate(object? name, IRuleMessage message) =>
        name switch
        {
            null => null,
            string text => message.TryGet(text, out var value) ? SqlValue.Of(value) : null,
            _ => throw new FilterException("The name of a property must be a string."),
        };
}

/// <param name="Value">The value; <c>null</c> to remove the property.</param>
internal sealed record SqlStatement(SqlProperty Property, SqlExpression? Value)
{
    public void Apply(IRuleMessage message)
    {
        var value = Value?.Invoke(message);
        if (Property.IsSystem)
            message.SetSystem(Property.Name, value);
        else
            message.Set(Property.Name, value);
    }
}

internal static class SqlOperators
{
    public static SqlExpression Constant(object? value) => _ => value;

    public static SqlExpression Calculate(char operation, SqlExpression left, SqlExpression right) =>
        message => SqlValue.Calculate(operation, left(message), right(message));

    public static SqlPredicate Or(SqlPredicate one, SqlPredicate other) =>
        message => one(message) is not true and var left ? left | other(message) : true;

    public static SqlPredicate And(SqlPredicate one, SqlPredicate other) =>
        message => one(message) is not false and var left ? left & other(message) : false;

    public static SqlPredicate Compare(string comparison, SqlExpression left, SqlExpression right)
    {
        return comparison switch
        {
            "=" => message => SqlValue.AreEqual(left(message), right(message)),
            "<>" or "!=" => message => !SqlValue.AreEqual(left(message), right(message)),
            "<" => Ordered(static order => order < 0),
            "<=" => Ordered(static order => order <= 0),
            ">" => Ordered(static order => order > 0),
            _ => Ordered(static order => order >= 0),
        };

        SqlPredicate Ordered(Func<double, bool> holds) =>
            message => SqlValue.Order(left(message), right(message)) is { } order ? holds(order) : null;
    }

    public static SqlPredicate In(SqlExpression operand, List<SqlExpression> values) =>
        message =>
        {
            var value = operand(message);
            bool? found = false;
            foreach (var other in values)
                found |= SqlValue.AreEqual(value, other(message));
            return found;
        };
}
