namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>Something with a value of <see cref="SqlValue"/>; null: unknown, as a property is that the message does not have.</summary>
/// <exception cref="FilterException">It has no value for this message.</exception>
internal delegate object? SqlExpression(IRuleMessage message);

/// <summary>Something that is true, false, or unknown (null) of a message. Operators of bool? have SQL's tables of three values.</summary>
/// <exception cref="FilterException">It cannot be said of this message.</exception>
internal delegate bool? SqlPredicate(IRuleMessage message);

internal sealed record SqlProperty(bool IsSystem, string Name)
{
    public object? Evaluate(IRuleMessage message) =>
        IsSystem ? SqlValue.Of(message.System(Name)) : Evaluate(Name, message);

    public bool? Exists(IRuleMessage message) =>
        IsSystem ? message.System(Name) is not null : message.TryGet(Name, out _);

    /// <summary>Of the application.</summary>
    /// <param name="name">A string.</param>
    public static object? Evaluate(object? name, IRuleMessage message) =>
        name switch
        {
            null => null,
            string text => message.TryGet(text, out var value) ? SqlValue.Of(value) : null,
            _ => throw new FilterException("The name of a property is a string."),
        };
}

/// <summary>One step of an action.</summary>
/// <param name="Value">Null: the property is removed.</param>
internal sealed record SqlStatement(SqlProperty Property, SqlExpression? Value)
{
    /// <exception cref="FilterException">The value cannot be had from this message.</exception>
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
