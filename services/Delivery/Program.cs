using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("delivery", ContractJson.Configure);

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
