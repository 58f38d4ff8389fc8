namespace DroneDelivery.Telemetry.Query;

/// <summary>What an expression asks of two values, of a value and a list, or of a value and a range.</summary>
internal enum Comparison
{
    Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual,
    EqualIgnoringCase, NotEqualIgnoringCase,
    Has, HasNot, HasCased, HasNotCased,
    Contains, ContainsNot, ContainsCased, ContainsNotCased,
    StartsWith, StartsNotWith, StartsWithCased, StartsNotWithCased,
    EndsWith, EndsNotWith, EndsWithCased, EndsNotWithCased,
    MatchesRegex,
    In, NotIn, InIgnoringCase, NotInIgnoringCase, HasAny,
    Between, NotBetween,
}
